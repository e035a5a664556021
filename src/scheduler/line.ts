/** Who wants a slot in one workflow: what is due again, and candidates of the last scan. Questions only. */
import { type Instant, type IssueSummary, stateKey } from "../domain/domain.ts";
import { isPutOff } from "./doubts.ts";
import { byDispatchOrder, freeSlotsInState } from "./eligible.ts";
import { SYSTEMIC } from "./signs.ts";
import type { Candidate, Lane, State } from "./state.ts";

/** The slots that are left for issues in one state. */
export interface Room {
  slots: number;
}

export type RoomFor = (issueState: string) => Room;

/** Counts the runs in a state once, however many candidates in line are in it: there may be thousands. */
export function rooms(state: State, lane: Lane): RoomFor {
  const bySpelling = new Map<string, Room>();
  const byKey = new Map<string, Room>();
  return (issueState) => {
    const known = bySpelling.get(issueState);
    if (known !== undefined) return known;
    const key = stateKey(issueState);
    const room = byKey.get(key) ?? { slots: freeSlotsInState(state, lane, key) };
    byKey.set(key, room);
    bySpelling.set(issueState, room);
    return room;
  };
}

/** What has waited for long enough, in dispatch order; only those are put in order whose state has room. */
export const dueIn = (state: State, lane: Lane, room: RoomFor, at: Instant): readonly IssueSummary[] =>
  state.claims
    .due(at)
    .filter(({ workflow, issue }) => workflow === lane.policy.workflow && !isPutOff(lane, issue.id, at))
    .filter((claim) => room(claim.issue.state).slots > 0)
    .map((claim) => claim.issue)
    .sort(byDispatchOrder);

/** Candidates that are to be looked at, in dispatch order. */
export function* queuedIn(
  state: State,
  lane: Lane,
  room: RoomFor,
  at: Instant,
): Generator<Candidate, undefined> {
  for (const candidate of lane.queue) {
    const { issue, look } = candidate;
    // Another workflow may have taken it since the scan: asked for now, it would be asked for again and again.
    if (
      look !== "later" &&
      !isPutOff(lane, issue.id, at) &&
      room(issue.state).slots > 0 &&
      !state.claims.has(issue.id)
    )
      yield candidate;
  }
  return undefined;
}

/** All of them in dispatch order, no more of a state than there is room for. */
export function* inLine(state: State, lane: Lane, at: Instant): Generator<IssueSummary, undefined> {
  const room = rooms(state, lane);
  const all =
    lane.hold === null
      ? merged(dueIn(state, lane, room, at), queuedIn(state, lane, room, at))
      : triersIn(state, lane, room, at);
  for (const issue of all) {
    const left = room(issue.state);
    if (left.slots === 0) continue;
    left.slots -= 1;
    yield issue;
  }
  return undefined;
}

/**
 * Who may find out whether a hold is over: each in turn, or one whose own text brings the fault about would hold all
 * others for ever. Of the queue no more are taken than it needs for that.
 */
export function* triersIn(
  state: State,
  lane: Lane,
  room: RoomFor,
  at: Instant,
): Generator<IssueSummary, undefined> {
  const due = state.claims
    .due(at)
    .filter(({ workflow, issue }) => workflow === lane.policy.workflow && !isPutOff(lane, issue.id, at))
    .filter((claim) => room(claim.issue.state).slots > 0);
  yield* due
    .filter((claim) => claim.held !== true)
    .map((claim) => claim.issue)
    .sort(byDispatchOrder);
  // Who was refused last has the latest time.
  const refused = due
    .filter((claim) => claim.held === true)
    .sort((a, b) => a.retryAt - b.retryAt || byDispatchOrder(a.issue, b.issue))
    .map((claim) => claim.issue);
  if (refused.length < SYSTEMIC) for (const { issue } of queuedIn(state, lane, room, at)) yield issue;
  yield* refused;
  return undefined;
}

/** Both are in dispatch order. */
function* merged(
  due: readonly IssueSummary[],
  queued: Iterable<Candidate>,
): Generator<IssueSummary, undefined> {
  let next = 0;
  for (const { issue } of queued) {
    for (let one = due[next]; one !== undefined && byDispatchOrder(one, issue) <= 0; one = due[next]) {
      next += 1;
      yield one;
    }
    yield issue;
  }
  yield* due.slice(next);
  return undefined;
}
