/** The look at the issue between two turns. A passing failure is repeated in place: a live session is worth the wait. */
import { setTimeout as sleep } from "node:timers/promises";
import { after, failure, later, type Instant, type IssueStatus } from "../../domain/domain.ts";
import { TrackerError } from "../../tracker/tracker.ts";
import type { Clock } from "../clock.ts";
import { MISSING_AGAIN_MS, type News } from "../../scheduler/scheduler.ts";
import type { TrackerFor } from "../trackers.ts";
import type { Workflows } from "../workflows.ts";
import type { Chore } from "./chore.ts";

/** How long a session is kept waiting for the tracker before its run ends. */
const PATIENCE_MS = 5 * 60_000;

/** And for as long as a rate limit lasts, when it is known: Linear's are per hour. */
const LIMIT_PATIENCE_MS = 65 * 60_000;

/** First pause between two tries; doubled each time up to the longest. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;

type Answer =
  | { readonly type: "checked"; readonly status: IssueStatus | null }
  | { readonly type: "check_failed"; readonly failure: ReturnType<typeof failure> };

export interface CheckParts {
  readonly workflows: Pick<Workflows, "current">;
  readonly trackerFor: TrackerFor;
  readonly clock: Clock;
  readonly dispatch: (news: News) => void;
}

/** Never rejects: what the tracker does not say is news as well. */
export async function check(
  { runId, issueId, workflow, scope }: Chore<"check">,
  { workflows, trackerFor, clock, dispatch }: CheckParts,
  signal: AbortSignal,
): Promise<void> {
  const ask = async () => trackerFor(workflows.current(workflow)).statuses([issueId], signal);
  dispatch({ ...(await checkIssue(ask, clock, signal)), runId, issueId, scope });
}

/** Never rejects; ends within the patience, give or take one request's deadline. */
export async function checkIssue(
  ask: () => Promise<readonly IssueStatus[]>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer> {
  const begunAt = clock.now();
  let wasMissing = false;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      const [status] = await ask();
      // Gone is what is missing twice: an answer can be late. Given up by us, nobody hears of it.
      if (status !== undefined || wasMissing || signal.aborted)
        return { type: "checked", status: status ?? null };
      wasMissing = true;
      await sleep(MISSING_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      const again = nextTry(error, clock.now(), pauseMs);
      if (again === null || again > after(begunAt, patienceFor(error)) || signal.aborted)
        return { type: "check_failed", failure: trouble(error) };
      await sleep(again - clock.now(), undefined, { signal }).catch(() => undefined);
    }
  }
}

function nextTry(error: unknown, now: Instant, pauseMs: number): Instant | null {
  if (!(error instanceof TrackerError) || !error.passing) return null;
  return later(after(now, pauseMs), error.retryAt);
}

const patienceFor = (error: unknown): number =>
  error instanceof TrackerError && error.kind === "tracker_rate_limited" ? LIMIT_PATIENCE_MS : PATIENCE_MS;

const trouble = (error: unknown) =>
  failure(
    "tracker_error",
    `The issue could not be refreshed after the turn: ${error instanceof Error ? error.message : String(error)}`,
  );
