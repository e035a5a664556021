/**
 * What the tracker said: scans, refreshes of running issues, and that it did not answer. A scan only says who may be next
 * (dispatch.ts); it lets go of nothing.
 */
import type { IssueId, IssueSummary } from "../domain/issue.ts";
import { stateKey } from "../domain/issue.ts";
import { after, later, type Instant } from "../domain/time.ts";
import { say, withBoard, work } from "./change.ts";
import { REVALIDATE_MAX } from "./dispatch.ts";
import type { Decision } from "./effects.ts";
import { byDispatchOrder } from "./eligible.ts";
import type { Event } from "./events.ts";
import { reconcile } from "./running.ts";
import type { Board, Candidate, Claim, State } from "./state.ts";

/** How many refused (blocked, say) candidates are looked at again after each scan, oldest look first. */
const RECHECK_MAX = 10;

/** A rate limit that stays used up is said again after this: not with every try, for there is nothing to be done. */
const LIMIT_SAID_EVERY_MS = 24 * 60 * 60_000;

/** How long a failed revalidation is left alone when the tracker did not say when to come back. */
const CHECK_PAUSE_MS = 5_000;

/** A complete scan (SPEC 8.1): the queue is made anew, and claims that it does not list as they were are looked into. */
export function polled(d: Decision, event: Extract<Event, { type: "polled" }>): Decision {
  const board = d[0].workflows.get(event.workflow);
  if (board === undefined) return d;
  const listed = new Map(event.candidates.map((issue) => [issue.id, issue]));
  const queue = requeue(d[0], board, event.candidates);
  const scanned = withBoard(d, event.workflow, (b) => ({
    ...b,
    polling: false,
    pollAt: rested(b, event.at),
    limitSaidAt: null,
    queue,
  }));
  const said = say(
    scanned,
    event.at,
    { workflow: event.workflow },
    {
      type: "polled",
      candidates: event.candidates.length,
      tookMs: event.tookMs,
    },
  );
  return verify(said, event.workflow, listed, event.at);
}

/** A scan that takes longer than the interval is followed by a pause of at least this, or the interval if shorter. */
const PAUSE_AFTER_SLOW_POLL_MS = 1_000;

/** When to scan next, after one that has ended now. */
const rested = ({ pollAt, policy }: Board, at: Instant): Instant => {
  const soonest = after(at, Math.min(policy.pollIntervalMs, PAUSE_AFTER_SLOW_POLL_MS));
  return pollAt > soonest ? pollAt : soonest;
};

/** What is unclaimed, in dispatch order. What was refused stays refused until it changes or its turn to be looked at comes. */
function requeue(state: State, board: Board, issues: readonly IssueSummary[]): readonly Candidate[] {
  const before = new Map(board.queue.map((candidate) => [candidate.issue.id, candidate]));
  const queue = issues
    .filter((issue) => !state.claims.has(issue.id))
    .map((issue) => ({ issue, refusedAt: unchanged(before.get(issue.id), issue) }))
    .sort((a, b) => byDispatchOrder(a.issue, b.issue));
  const again = new Set(
    queue
      .filter((candidate) => candidate.refusedAt !== null)
      .sort((a, b) => (a.refusedAt ?? 0) - (b.refusedAt ?? 0))
      .slice(0, RECHECK_MAX)
      .map((candidate) => candidate.issue.id),
  );
  return queue.map((candidate) =>
    again.has(candidate.issue.id) ? { ...candidate, refusedAt: null } : candidate,
  );
}

const unchanged = (before: Candidate | undefined, now: IssueSummary): Instant | null =>
  before !== undefined && before.issue.updatedAt === now.updatedAt && before.issue.state === now.state
    ? before.refusedAt
    : null;

/**
 * Claims without a run are let go of by what the tracker says of them by id alone, never by a list that leaves them out:
 * lists can be late or not whole, and with the claim goes its time to wait (I3).
 */
function verify(
  d: Decision,
  workflow: Board["policy"]["workflow"],
  listed: ReadonlyMap<IssueId, IssueSummary>,
  at: Instant,
): Decision {
  const board = d[0].workflows.get(workflow);
  if (board === undefined || board.checking.length > 0 || board.checkAt > at) return d;
  const odd = [...d[0].claims.values()]
    .filter((claim) => claim.workflow === workflow && isOdd(claim, listed.get(claim.issue.id)))
    .map((claim) => claim.issue.id);
  if (odd.length === 0) return d;
  const first = board.verified % odd.length;
  const ids = [...odd.slice(first), ...odd.slice(0, first)].slice(0, REVALIDATE_MAX);
  return work(
    withBoard(d, workflow, (b) => ({ ...b, checking: ids, verified: b.verified + ids.length })),
    { type: "revalidate", workflow, ids },
  );
}

/** Whether somebody may have done something to the issue that ends the claim. */
function isOdd(claim: Claim, listed: IssueSummary | undefined): boolean {
  switch (claim.phase) {
    case "running":
      return false;
    case "waiting":
      return listed === undefined;
    case "parked":
      return (
        claim.unseen === true ||
        listed === undefined ||
        stateKey(listed.state) !== stateKey(claim.issue.state)
      );
  }
}

/** The next try is as late as the tracker asked for (C5). */
export function pollFailed(d: Decision, event: Extract<Event, { type: "poll_failed" }>): Decision {
  const { workflow, at, retryAt, kind, error } = event;
  const waiting = withBoard(d, workflow, (b) => ({
    ...b,
    polling: false,
    pollAt: later(rested(b, at), retryAt),
  }));
  if (kind === LIMITED) return sayLimited(waiting, event);
  return say(waiting, at, { workflow }, { type: "poll_failed", kind, error, retryAt });
}

/** Running turns go on: an answer that did not come says nothing about their issues. */
export function refreshFailed(d: Decision, event: Extract<Event, { type: "refresh_failed" }>): Decision {
  const { workflow, at, kind, error } = event;
  // The scan that follows it says so, with the time at which it ends.
  return kind === LIMITED ? d : say(d, at, { workflow }, { type: "refresh_failed", kind, error });
}

const LIMITED = "rate_limited";

/** Nothing is dispatched before a scan is answered; that is said once, however often it is found to be so. */
function sayLimited(
  d: Decision,
  event: Extract<Event, { type: "poll_failed" | "revalidation_failed" }>,
): Decision {
  const { workflow, at, kind, error, retryAt } = event;
  const saidAt = d[0].workflows.get(workflow)?.limitSaidAt ?? null;
  if (saidAt !== null && at - saidAt < LIMIT_SAID_EVERY_MS) return d;
  const limited = withBoard(d, workflow, (b) => ({ ...b, limitSaidAt: at }));
  return say(limited, at, { workflow }, { type: "poll_failed", kind, error, retryAt });
}

/** Nothing starts, and nobody asks again, before the tracker had a pause (C5). */
export function revalidationFailed(
  d: Decision,
  event: Extract<Event, { type: "revalidation_failed" }>,
): Decision {
  const { workflow, at, kind, error, retryAt } = event;
  // A time that has passed is no permission to ask at once.
  const checkAt = later(after(at, CHECK_PAUSE_MS), retryAt);
  const paused = withBoard(d, workflow, (b) => ({ ...b, checking: [], checkAt }));
  if (kind === LIMITED) return sayLimited(paused, event);
  return say(paused, at, { workflow }, { type: "refresh_failed", kind, error });
}

/** The running issues as they are now; one that was asked for and is missing is gone. */
export function refreshed(d: Decision, event: Extract<Event, { type: "refreshed" }>): Decision {
  const board = d[0].workflows.get(event.workflow);
  if (board === undefined) return d;
  const statuses = new Map(event.statuses.map((status) => [status.id, status]));
  return event.ids.reduce((next, id) => {
    const claim = next[0].claims.get(id);
    return claim?.phase === "running"
      ? reconcile(next, claim, statuses.get(id), board.policy, event.at)
      : next;
  }, d);
}
