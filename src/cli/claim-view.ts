/** The daemon's hold on an issue, in words and as JSON. An issue without a claim is `released`. */
import type { Instant } from "../domain/domain.ts";
import { plain, plainEnds } from "../facts/facts.ts";
import type { Claim } from "../scheduler/scheduler.ts";
import { fullStamp, isoTime, relative, span } from "../terminal/terminal.ts";
import { kindWords } from "./run-view.ts";

/** Room for a sentence and its reason; the whole text is in the JSON. */
const WORDS_MAX = 500;

/**
 * One or two lines: what the daemon does with the issue and what comes next. How far a run has come is in its row: the
 * claim is written down when it begins. `hadRun`: the issue has had a run already.
 */
export function claimLines(
  claim: Claim,
  now: Instant,
  { isServed = true, hadRun = false }: { readonly isServed?: boolean; readonly hadRun?: boolean } = {},
): readonly string[] {
  switch (claim.phase) {
    case "running":
      return isServed
        ? [`running: ${claim.run.id} for ${span(now - claim.run.startedAt)}`]
        : [`was running (${claim.run.id}) when Baton's process ended; the next start takes it up`];
    case "waiting": {
      const { retryAt, kind, attempt, why, slot } = claim;
      return [
        `waiting: ${kindWords(kind, attempt, hadRun)} ${relative(retryAt, now)} (${fullStamp(retryAt)})`,
        `because ${plainEnds(why, WORDS_MAX)}`,
        ...(slot === undefined ? [] : [`waits for a slot: ${plain(slot, WORDS_MAX)}`]),
      ];
    }
    case "parked": {
      const { reason, why, wayOut, since } = claim;
      return [
        `parked (${reason}) since ${fullStamp(since)}: ${plainEnds(why, WORDS_MAX)}`,
        `to release it: ${plain(wayOut, WORDS_MAX)}`,
      ];
    }
  }
}

export type ClaimView = { readonly phase: "released" | Claim["phase"] } & Readonly<Record<string, unknown>>;

export function claimView(claim: Claim | null): ClaimView {
  if (claim === null) return { phase: "released" };
  switch (claim.phase) {
    case "running":
      return {
        phase: "running",
        run_id: claim.run.id,
        attempt: claim.run.attempt,
        kind: claim.run.kind,
      };
    case "waiting":
      return {
        phase: "waiting",
        retry_at: isoTime(claim.retryAt),
        attempt: claim.attempt,
        kind: claim.kind,
        why: claim.why,
        error: claim.failure?.message ?? null,
        slot: claim.slot ?? null,
      };
    case "parked":
      return {
        phase: "parked",
        reason: claim.reason,
        why: claim.why,
        release: claim.wayOut,
        since: isoTime(claim.since),
      };
  }
}
