/**
 * What the tracker said: scans, refreshes of running issues, and that it did not answer. A scan only says who may be next
 * (dispatch.ts); it lets go of nothing.
 */
import {
  after,
  DAY_MS,
  type Instant,
  type IssueId,
  type IssueSummary,
  later,
  stateKey,
} from "../domain/domain.ts";
import { put, say, withLane, work } from "./change.ts";
import { REVALIDATE_MAX } from "./dispatch.ts";
import {
  apart,
  doubtsAfterScan,
  isPutOff,
  missing,
  leaveAlone,
  settled,
  unreadable,
  wasMissing,
} from "./doubts.ts";
import type { Decision } from "./effects.ts";
import type { Event } from "./events.ts";
import { paced } from "./pace.ts";
import { answered, scanAnswered, unanswered } from "./outages.ts";
import { keepRefusals, requeued } from "./queue.ts";
import { reconcile } from "./running.ts";
import { scanned } from "./scan-counts.ts";
import type { Lane, Claim, Policy } from "./state.ts";

/** A rate limit that stays used up is said again after this: not with every try, for there is nothing to be done. */
const LIMIT_SAID_EVERY_MS = DAY_MS;

/** How long a failed revalidation is left alone when the tracker did not say when to come back; doubled up to the longest. */
const REVALIDATE_PAUSE_MS = 5_000;
const REVALIDATE_PAUSE_MAX_MS = 60_000;

/** After so many looks in a row that failed, others are asked for: it may be these that cannot be read. */
const LOOKS_IN_VAIN = 3;

/**
 * A complete scan (SPEC 8.1): the queue is made anew, running issues that it lists count as refreshed, and other claims
 * that it does not list as they were are looked into.
 */
export function polled(sofar: Decision, event: Extract<Event, { type: "polled" }>): Decision {
  const lane = sofar.state.workflows.get(event.workflow);
  if (lane === undefined) return sofar;
  const listed = new Map(event.candidates.map((issue) => [issue.id, issue]));
  const doubts = doubtsAfterScan(
    lane,
    new Set(listed.keys()),
    changedSince(lane, event.candidates),
    (id) => sofar.state.claims.has(id),
    event.at,
  );
  const seen = withLane(sofar, event.workflow, (lane) => ({
    ...requeued(sofar.state, lane, event.candidates),
    polling: false,
    polls: lane.polls + 1,
    pollAt: rested(lane, event.at),
    limitSaidAt: null,
    doubts,
    scan: scanned(lane.scan, event.candidates.length, event.at),
  }));
  const said = say(
    seen,
    event.at,
    { workflow: event.workflow },
    {
      type: "polled",
      candidates: event.candidates.length,
      tookMs: event.tookMs,
    },
  );
  const again = scanAnswered(said, event.workflow, lane.scan.at, event.at);
  const told = paced(again, event.workflow, event.pace, event.at);
  const kept = keepRefusals(renamed(reconcileListed(told, event, lane), event), event.workflow);
  return verify(kept, event.workflow, listed, event.at);
}

/**
 * A running issue that the scan lists was seen as it is now, and nobody asks for it again by id (I7); but one that was
 * asked for by id meanwhile was seen later than that.
 */
const reconcileListed = (
  sofar: Decision,
  { workflow, candidates, at }: Extract<Event, { type: "polled" }>,
  { policy, polls }: Lane,
): Decision =>
  candidates.reduce((next, issue) => {
    const claim = next.state.claims.get(issue.id);
    const isNews = claim?.phase === "running" && claim.seenDuring !== polls + 1;
    return isNews && claim.workflow === workflow
      ? reconcile(next, claim, { ...issue, labels: labelsOf(claim, policy) }, policy, at)
      : next;
  }, sofar);

/** Who was moved to another team has another name: who waits or is parked is found by it in people's orders. */
const renamed = (
  sofar: Decision,
  { workflow, candidates, at }: Extract<Event, { type: "polled" }>,
): Decision =>
  candidates.reduce((next, { id, identifier }) => {
    const claim = next.state.claims.get(id);
    const isOther = claim !== undefined && claim.phase !== "running" && claim.workflow === workflow;
    return isOther && claim.issue.identifier !== identifier
      ? put(next, { ...claim, issue: { ...claim.issue, identifier } }, at)
      : next;
  }, sofar);

/** The scan shows no labels, but lists only what has all that are required; the others are as they were last seen. */
const labelsOf = ({ issue }: Claim, { requiredLabels }: Policy): readonly string[] => [
  ...new Set([...issue.labels, ...requiredLabels]),
];

/** A scan that takes longer than the interval is followed by a pause of at least this, or the interval if shorter. */
const PAUSE_AFTER_SLOW_POLL_MS = 1_000;

/** When to scan next, after one that has ended now. */
const rested = ({ pollAt, policy }: Lane, at: Instant): Instant => {
  return later(after(at, Math.min(policy.pollIntervalMs, PAUSE_AFTER_SLOW_POLL_MS)), pollAt);
};

/** What the scan shows as another than the last one did. */
const changedSince = ({ queue }: Lane, issues: readonly IssueSummary[]): ReadonlySet<IssueId> => {
  const before = new Map(queue.map(({ issue }) => [issue.id, issue.updatedAt]));
  return new Set(
    issues.filter(({ id, updatedAt }) => before.has(id) && before.get(id) !== updatedAt).map(({ id }) => id),
  );
};

/**
 * Claims without a run are let go of by what the tracker says of them by id alone, never by a list that leaves them out:
 * lists can be late or not whole, and with the claim goes its time to wait (I3 of docs/ARCHITECTURE.md).
 */
function verify(
  sofar: Decision,
  workflow: Lane["policy"]["workflow"],
  listed: ReadonlyMap<IssueId, IssueSummary>,
  at: Instant,
): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined || lane.revalidating.length > 0 || lane.revalidateAt > at) return sofar;
  const odd = [...sofar.state.claims.values()]
    .filter((claim) => claim.workflow === workflow && isOdd(claim, listed.get(claim.issue.id)))
    .map((claim) => claim.issue.id)
    .filter((id) => !isPutOff(lane, id, at));
  if (odd.length === 0) return sofar;
  const first = lane.verified % odd.length;
  const ids = [...odd.slice(first), ...odd.slice(0, first)].slice(0, REVALIDATE_MAX);
  return work(
    withLane(sofar, workflow, (lane) => ({
      ...lane,
      revalidating: ids,
      verified: lane.verified + ids.length,
    })),
    { type: "revalidate", workflow, scope: lane.policy.scope, ids, apart: apart(lane, ids) },
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

/** There was no scan, because the tracker's limits allow fewer: running issues were looked up all the same. */
export function putOff(sofar: Decision, event: Extract<Event, { type: "scan_put_off" }>): Decision {
  const { workflow, pace, at } = event;
  const rest = withLane(sofar, workflow, (lane) => ({
    ...lane,
    polling: false,
    polls: lane.polls + 1,
    pollAt: rested(lane, at),
  }));
  return paced(rest, workflow, pace, at);
}

/** The next try is as late as the tracker asked for (C5 of docs/RELIABILITY.md). */
export function pollFailed(sofar: Decision, event: Extract<Event, { type: "poll_failed" }>): Decision {
  const { workflow, at, retryAt, kind, error } = event;
  const waiting = withLane(sofar, workflow, (lane) => ({
    ...lane,
    polling: false,
    polls: lane.polls + 1,
    pollAt: later(rested(lane, at), retryAt),
    scan: { ...lane.scan, error },
  }));
  return kind === LIMITED ? sayLimited(waiting, event) : unanswered(waiting, "scan", event);
}

/** Running turns go on: an answer that did not come says nothing about their issues. */
export function refreshFailed(sofar: Decision, event: Extract<Event, { type: "refresh_failed" }>): Decision {
  // The scan that follows it says so, with the time at which it ends.
  return event.kind === LIMITED ? sofar : unanswered(sofar, "running", { ...event, retryAt: null });
}

const LIMITED = "tracker_rate_limited";

/** Nothing is dispatched before a scan is answered; that is said once, however often it is found to be so. */
function sayLimited(
  sofar: Decision,
  event: Extract<Event, { type: "poll_failed" | "revalidation_failed" }>,
): Decision {
  const { workflow, at, kind, error, retryAt } = event;
  const saidAt = sofar.state.workflows.get(workflow)?.limitSaidAt ?? null;
  if (saidAt !== null && at - saidAt < LIMIT_SAID_EVERY_MS) return sofar;
  const limited = withLane(sofar, workflow, (lane) => ({ ...lane, limitSaidAt: at }));
  return say(limited, at, { workflow }, { type: "poll_failed", kind, error, retryAt });
}

/** Nothing starts, and nobody asks again, before the tracker had a pause (C5). */
export function revalidationFailed(
  sofar: Decision,
  event: Extract<Event, { type: "revalidation_failed" }>,
): Decision {
  const { workflow, at, kind, error, retryAt } = event;
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined) return sofar;
  const failedLooks = kind === LIMITED ? 0 : lane.failedLooks + 1;
  const pauseMs = Math.min(REVALIDATE_PAUSE_MS * 2 ** Math.max(0, failedLooks - 1), REVALIDATE_PAUSE_MAX_MS);
  // A time that has passed is no permission to ask at once.
  const revalidateAt = later(after(at, pauseMs), retryAt);
  const paused = withLane(sofar, workflow, (lane) => ({
    ...lane,
    revalidating: [],
    failedLooks,
    revalidateAt,
    lookLater: "the last look at tickets that could start failed",
  }));
  if (kind === LIMITED) return sayLimited(paused, event);
  const said = unanswered(paused, "contenders", event);
  return failedLooks < LOOKS_IN_VAIN ? said : leaveAlone(said, workflow, lane.revalidating, { error, at });
}

/** Running issues that the scan left out, as they are now; one that is missing twice in a row is gone. */
export function refreshed(sofar: Decision, event: Extract<Event, { type: "refreshed" }>): Decision {
  const { workflow, ids, unreadable: unread = [], at } = event;
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined) return sofar;
  const statuses = new Map(event.statuses.map((status) => [status.id, status]));
  const bad = new Set(unread.map(({ id }) => id));
  const again = answered(sofar, "running", workflow, at);
  const noted = unread.reduce((next, one) => unreadable(next, workflow, one, at), again);
  return ids
    .filter((id) => !bad.has(id))
    .reduce((next, id) => {
      const claim = next.state.claims.get(id);
      if (claim?.phase !== "running" || claim.workflow !== workflow) return next;
      const status = statuses.get(id);
      if (status === undefined && !wasMissing(lane, id)) return missing(next, workflow, id, at);
      const known = status === undefined ? next : settled(next, workflow, [id]);
      return reconcile(known, claim, status, lane.policy, at);
    }, noted);
}
