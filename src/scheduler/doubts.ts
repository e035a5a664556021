/**
 * What reads by id leave open: an issue that was not in an answer, or that could not be read. A list that is late leaves
 * out what is there, so gone is only what is missing twice in a row; and one issue that cannot be read must not keep the
 * others from being read. Both are looked at again a while later, and stand in nobody's way meanwhile.
 */
import { after, type Instant, type IssueId, type WorkflowName } from "../domain/domain.ts";
import { say, withLane } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Unreadable } from "./events.ts";
import type { Doubt, Lane, State } from "./state.ts";

/** Until an issue that was missing is asked for again: longer than an index of the tracker's takes to catch up. */
export const MISSING_AGAIN_MS = 5_000;

/** Until an issue that could not be read is asked for again: the first time, doubled with each further one, at most. */
const UNREADABLE_AGAIN_MS = 60_000;
const UNREADABLE_AGAIN_MAX_MS = 60 * 60_000;

/** Whether this issue is left alone for now. */
export const isPutOff = ({ doubts }: Lane, id: IssueId, at: Instant): boolean =>
  (doubts.get(id)?.again ?? at) > at;

/** Those of these that could not be read the last time: each is asked for by itself, so that it spoils no answer. */
export const apart = ({ doubts }: Lane, ids: readonly IssueId[]): readonly IssueId[] =>
  ids.filter((id) => (doubts.get(id)?.why ?? null) !== null);

/** Whether an issue that an answer left out was left out before: then it is gone. */
export const wasMissing = ({ doubts }: Lane, id: IssueId): boolean => doubts.get(id)?.why === null;

export const missing = (sofar: Decision, workflow: WorkflowName, id: IssueId, at: Instant): Decision =>
  doubt(sofar, workflow, id, { why: null, times: 1, again: after(at, MISSING_AGAIN_MS) });

/** Said once for as long as it cannot be read for the same reason. */
export function unreadable(
  sofar: Decision,
  workflow: WorkflowName,
  { id, error }: Unreadable,
  at: Instant,
): Decision {
  const lane = sofar.state.workflows.get(workflow);
  const before = lane?.doubts.get(id);
  const times = (before?.why ?? null) === null ? 1 : (before?.times ?? 0) + 1;
  const pauseMs = Math.min(UNREADABLE_AGAIN_MS * 2 ** Math.min(times - 1, 10), UNREADABLE_AGAIN_MAX_MS);
  const next = doubt(sofar, workflow, id, { why: error, times, again: after(at, pauseMs) });
  if (lane === undefined || before?.why === error) return next;
  return say(
    next,
    at,
    { workflow, issueId: id, ...named(sofar.state, lane, id) },
    { type: "tracker_record_rejected", error },
  );
}

/** Nobody knows which of these, if any, could not be read: all are left alone for a while, and that is not said of each. */
export const leaveAlone = (
  sofar: Decision,
  workflow: WorkflowName,
  ids: readonly IssueId[],
  { error, at }: { readonly error: string; readonly at: Instant },
): Decision =>
  ids.reduce(
    (next, id) => doubt(next, workflow, id, { why: error, times: 1, again: after(at, UNREADABLE_AGAIN_MS) }),
    sofar,
  );

function named(state: State, lane: Lane, id: IssueId): { readonly identifier?: string } {
  const issue =
    state.claims.get(id)?.issue ?? lane.queue.find((candidate) => candidate.issue.id === id)?.issue;
  return issue === undefined ? {} : { identifier: issue.identifier };
}

/** These were seen: whatever was not known of them is known now. */
export function settled(sofar: Decision, workflow: WorkflowName, ids: readonly IssueId[]): Decision {
  const doubts = sofar.state.workflows.get(workflow)?.doubts;
  if (doubts === undefined || !ids.some((id) => doubts.has(id))) return sofar;
  const left = new Map(doubts);
  for (const id of ids) left.delete(id);
  return withLane(sofar, workflow, (lane) => ({ ...lane, doubts: left }));
}

/**
 * After a scan: what it lists is there, what it lists as another than it was may be read again at once, and what is
 * neither listed nor claimed is nobody's business.
 */
export function doubtsAfterScan(
  { doubts }: Lane,
  listed: ReadonlySet<IssueId>,
  changed: ReadonlySet<IssueId>,
  isClaimed: (id: IssueId) => boolean,
  at: Instant,
): Lane["doubts"] {
  if (doubts.size === 0) return doubts;
  return new Map(
    [...doubts]
      .filter(([id, { why }]) => (listed.has(id) ? why !== null : isClaimed(id)))
      .map(([id, one]): [IssueId, Doubt] => [id, changed.has(id) ? { ...one, again: at } : one]),
  );
}

const doubt = (sofar: Decision, workflow: WorkflowName, id: IssueId, one: Doubt): Decision =>
  withLane(sofar, workflow, (lane) => ({ ...lane, doubts: new Map(lane.doubts).set(id, one) }));
