/**
 * Who starts next. One path for every start: the best contenders are fetched whole by id (`revalidate`), and what comes
 * back is started if it still may. So nothing starts on a stale list, and a freed slot is refilled without a scan.
 */
import { type Instant, type Issue, type IssueId, type IssueSummary, stateKey } from "../domain/domain.ts";
import { beginWithin, letGo, removeWorkspace } from "./begin.ts";
import { about, changeCandidate, count, drop, put, say, tallyOf, withLane, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { byDispatchOrder, freeSlots, freeSlotsInState, isTerminal, notHere, refusal } from "./eligible.ts";
import type { Event } from "./events.ts";
import { startGate } from "./gates.ts";
import type { Lane, Parked, State, Waiting } from "./state.ts";
import { released } from "./tally.ts";

/** One request's worth: ten hydrated issues stay near a tenth of Linear's limit for a single query. */
export const REVALIDATE_MAX = 10;

/** Asks for the best contenders of every workflow that has free slots and no such question under way. */
export function fill(sofar: Decision, at: Instant): Decision {
  if (sofar.state.phase !== "serving") return sofar;
  return [...sofar.state.workflows.values()].reduce((next, lane) => revalidateBest(next, lane, at), sofar);
}

function revalidateBest(sofar: Decision, lane: Lane, at: Instant): Decision {
  const { state } = sofar;
  if (lane.revalidating.length > 0 || lane.revalidateAt > at || startGate(state, lane, at) !== null)
    return sofar;
  const ids = contenders(state, lane, at);
  if (ids.length === 0) return sofar;
  const workflow = lane.policy.workflow;
  return work(
    withLane(sofar, workflow, (lane) => ({ ...lane, revalidating: ids })),
    { type: "revalidate", workflow, scope: lane.policy.scope, ids },
  );
}

/** Work in hand goes before new work: due retries first, then the queue; no more than there are slots for. */
function contenders(state: State, lane: Lane, at: Instant): readonly IssueId[] {
  const slots = Math.min(freeSlots(state, lane), lane.hold === null ? REVALIDATE_MAX : 1);
  if (slots === 0) return [];
  const room = rooms(state, lane);
  const ids: IssueId[] = [];
  for (const issue of inLine(state, lane, room, at)) {
    if (ids.length >= slots) break;
    const left = room(issue.state);
    if (left.slots === 0) continue;
    left.slots -= 1;
    ids.push(issue.id);
  }
  return ids;
}

/** The slots that are left for issues in one state. */
interface Room {
  slots: number;
}

/** Counts the runs in a state once, however many candidates in line are in it: there may be thousands. */
function rooms(state: State, lane: Lane): (issueState: string) => Room {
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

/** Who may be next, the best first. Of the due ones only those are put in order whose state has room. */
function* inLine(
  state: State,
  { policy: { workflow }, queue }: Lane,
  room: (issueState: string) => Room,
  at: Instant,
): Generator<IssueSummary> {
  yield* state.claims
    .due(at)
    .filter((claim) => claim.workflow === workflow && room(claim.issue.state).slots > 0)
    .map((claim) => claim.issue)
    .sort(byDispatchOrder);
  for (const { issue, refusedAt } of queue) {
    // Another workflow may have taken it since the scan: asked for now, it would be asked for again and again.
    if (refusedAt === null && room(issue.state).slots > 0 && !state.claims.has(issue.id)) yield issue;
  }
}

/** The contenders as they are now: start what may start, let go of what may not, then look at the next. */
export function revalidated(sofar: Decision, event: Extract<Event, { type: "revalidated" }>): Decision {
  const issues = new Map(event.issues.map((issue) => [issue.id, issue]));
  const open = withLane(sofar, event.workflow, (lane) => ({ ...lane, revalidating: [] }));
  return event.ids.reduce((next, id) => consider(next, event, id, issues.get(id)), open);
}

function consider(
  sofar: Decision,
  { workflow, at }: Extract<Event, { type: "revalidated" }>,
  id: IssueId,
  issue: Issue | undefined,
): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined) return sofar;
  const claim = sofar.state.claims.get(id);
  if (claim === undefined) return considerNew(sofar, lane, id, issue, at);
  // It was asked for before another workflow took it: that one's claim is none of this one's business.
  if (claim.workflow !== workflow) return sofar;
  switch (claim.phase) {
    case "running":
      return sofar;
    case "waiting":
      return considerAgain(sofar, lane, claim, issue, at);
    case "parked":
      return considerParked(sofar, lane, claim, issue, at);
  }
}

function considerNew(
  sofar: Decision,
  lane: Lane,
  id: IssueId,
  issue: Issue | undefined,
  at: Instant,
): Decision {
  if (issue === undefined || refusal(issue, lane.policy) !== null) return refuse(sofar, lane, id, issue, at);
  if (!maySlot(sofar.state, lane, issue, at)) return refresh(sofar, lane, issue);
  return beginWithin(sofar, lane, { issue, attempt: null, kind: "first" }, at);
}

function considerAgain(
  sofar: Decision,
  lane: Lane,
  claim: Waiting,
  issue: Issue | undefined,
  at: Instant,
): Decision {
  if (issue === undefined) return letGo(sofar, claim, "it is no longer visible in the tracker", at);
  if (isTerminal(issue, lane.policy)) {
    return removeWorkspace(letGo(sofar, { ...claim, issue }, "it is done", at), { ...claim, issue });
  }
  const why = refusal(issue, lane.policy);
  if (why !== null) return letGo(sofar, { ...claim, issue }, why, at);
  // It was due when it was asked for; by now it may have run and failed.
  if (claim.retryAt > at) return put(sofar, { ...claim, issue }, at);
  // No slot consumes no attempt (I8 of docs/ARCHITECTURE.md): it stays first in line.
  if (!maySlot(sofar.state, lane, issue, at)) return put(sofar, { ...claim, issue }, at);
  return beginWithin(sofar, lane, { issue, attempt: claim.attempt, kind: claim.kind }, at);
}

/** Only a person's move releases a park: another state, the dispatch label taken away, or the whole issue. */
function considerParked(
  sofar: Decision,
  lane: Lane,
  claim: Parked,
  issue: Issue | undefined,
  at: Instant,
): Decision {
  if (issue === undefined) return unpark(sofar, claim, "the issue is no longer visible in the tracker", at);
  if (claim.unseen === true) return firstLook(sofar, lane, claim, issue, at);
  // Not this workflow's business any more, as if it were not visible: somebody took it away.
  if (!issue.dispatchable) return unpark(sofar, claim, notHere(issue), at);
  if (stateKey(issue.state) !== stateKey(claim.issue.state)) {
    const done = unpark(
      sofar,
      claim,
      `somebody moved it from "${claim.issue.state}" to "${issue.state}"`,
      at,
    );
    return isTerminal(issue, lane.policy) ? removeWorkspace(done, claim) : done;
  }
  const lost = lane.policy.requiredLabels.filter(
    (label) => claim.issue.labels.includes(label) && !issue.labels.includes(label),
  );
  return lost.length > 0
    ? unpark(sofar, claim, `somebody took the label "${lost.join(", ")}" off`, at)
    : sofar;
}

/**
 * What its agent did last, and nobody saw: an issue that is done, or not to be worked on here, is let go of with its
 * counters, any other stays parked.
 */
function firstLook(sofar: Decision, lane: Lane, parked: Parked, issue: Issue, at: Instant): Decision {
  const { unseen: _unseen, ...claim } = { ...parked, issue };
  if (!isTerminal(issue, lane.policy) && !issue.dispatchable) return letGo(sofar, claim, notHere(issue), at);
  return isTerminal(issue, lane.policy)
    ? removeWorkspace(letGo(sofar, claim, "it is done", at), claim)
    : put(sofar, claim, at);
}

function unpark(sofar: Decision, claim: Parked, why: string, at: Instant): Decision {
  const fresh = released(tallyOf(sofar.state, claim.issue.id), claim.why);
  const said = say(sofar, at, about(claim), { type: "unparked", why });
  return drop(count(said, claim.issue.id, claim.issue.identifier, fresh), claim.issue.id);
}

const maySlot = (state: State, lane: Lane, issue: Issue, at: Instant): boolean =>
  startGate(state, lane, at) === null &&
  freeSlots(state, lane) > 0 &&
  freeSlotsInState(state, lane, issue.state) > 0;

/** A candidate that may not start stays in the queue, marked, so that the next in line gets its look. */
const refuse = (sofar: Decision, lane: Lane, id: IssueId, issue: Issue | undefined, at: Instant): Decision =>
  changeCandidate(sofar, lane.policy.workflow, id, (candidate) =>
    issue === undefined ? null : { ...candidate, refusedAt: at },
  );

const refresh = (sofar: Decision, lane: Lane, issue: Issue): Decision =>
  changeCandidate(sofar, lane.policy.workflow, issue.id, (candidate) => ({ ...candidate, issue }));
