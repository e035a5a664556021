/**
 * News that waits because the ledger takes nothing. When it can be written again, what the tracker said meanwhile may be
 * hours old, and what only repeats may be there a thousand times.
 */
import { type Instant, MINUTE_MS } from "../domain/domain.ts";
import type { News } from "../scheduler/scheduler.ts";

/** An answer of the tracker that waited longer starts nothing: it is asked for again. */
export const ANSWER_MAX_MS = 2 * MINUTE_MS;

/** The news as it is by now: an old permission to begin is none. */
export function stillTrue({ news, at }: { readonly news: News; readonly at: Instant }, now: Instant): News {
  const age = now - at;
  if (age <= ANSWER_MAX_MS) return news;
  // As after a reload that changed whose issues are meant: the scheduler asks again.
  if (news.type === "checked") return { ...news, scope: "outdated" };
  if (news.type !== "revalidated") return news;
  const { workflow, scope } = news;
  // No failure of the tracker's: it has answered, and counts as if nobody had asked.
  const why = `its answer was ${Math.round(age / 1_000)} s old when the ledger could be written; it is asked again`;
  const asked = scope === undefined ? {} : { scope };
  return { type: "look_put_off", workflow, ...asked, until: null, why };
}

/** Takes out of `waiting` what `news` says anew: a thread's tokens are told as a total. */
export function fold(waiting: { readonly news: News }[], news: News): void {
  if (news.type !== "usage") return;
  const before = waiting.findLastIndex(
    (one) =>
      one.news.type === "usage" && one.news.runId === news.runId && one.news.threadId === news.threadId,
  );
  if (before !== -1) waiting.splice(before, 1);
}
