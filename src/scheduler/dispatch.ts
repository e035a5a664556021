/**
 * Who starts next. One path for every start: the best contenders are fetched whole by id (`revalidate`), and what comes
 * back is started if it still may. So nothing starts on a stale list, and a freed slot is refilled without a scan.
 */
import { type Instant, type Issue, type IssueId, stateKey } from "../domain/domain.ts";
import { beginWithin, letGo, removeWorkspace } from "./begin.ts";
import { about, changeCandidate, count, drop, put, say, tallyOf, withLane, work } from "./change.ts";
import { apart, missing, settled, unreadable, wasMissing } from "./doubts.ts";
import type { Decision } from "./effects.ts";
import { isOver, isTerminal, notHere, refusal } from "./eligible.ts";
import type { Event } from "./events.ts";
import { startGate } from "./gates.ts";
import { dueIn, inLine, queuedIn, rooms, triersIn } from "./line.ts";
import { answered } from "./outages.ts";
import { areTurns, keepRefusals, ready, refuse } from "./queue.ts";
import { shares } from "./shares.ts";
import { noSlot } from "./slots.ts";
import type { Lane, Parked, State, Waiting } from "./state.ts";
import { released } from "./tally.ts";

/** One request's worth: ten hydrated issues stay near a tenth of Linear's limit for a single query. */
export const REVALIDATE_MAX = 10;

/**
 * Of one look those that were refused before and have changed, at most: however many somebody has edited at once, the best
 * that were never looked at are among the next ten.
 */
const FIRST_MAX = 5;

/** Asks for the best contenders of every workflow that may fill a slot and has no such question under way. */
export function fill(sofar: Decision, at: Instant): Decision {
  const { state } = sofar;
  if (state.phase !== "serving") return sofar;
  const slots = shares(state, at);
  return [...state.workflows.values()].reduce(
    (next, lane) => look(next, lane, slots.get(lane.policy.workflow) ?? 0, at),
    sofar,
  );
}

function look(sofar: Decision, lane: Lane, slots: number, at: Instant): Decision {
  const { workflow } = lane.policy;
  const isAsking = lane.revalidating.length > 0;
  const ids = slots === 0 || isAsking ? [] : contenders(sofar.state, lane, slots, at);
  if (ids.length === 0 && !(isAsking && slots > 0)) return isAsking ? sofar : rest(sofar, lane, at);
  const since = lane.lookingSince ?? at;
  const looking =
    lane.lookingSince === since
      ? sofar
      : withLane(sofar, workflow, (one) => ({ ...one, lookingSince: since }));
  if (isAsking) return looking;
  return work(
    withLane(looking, workflow, (one) => ({ ...one, revalidating: ids })),
    {
      type: "revalidate",
      workflow,
      scope: lane.policy.scope,
      ids,
      apart: apart(lane, ids),
      ...(areTurns(lane, ids) && { isAgain: true }),
    },
  );
}

/** Nobody is left to look at: what was found out is written down, and slots are kept again when somebody is. */
function rest(sofar: Decision, lane: Lane, at: Instant): Decision {
  // One whose tracker fails is not waited for again before it has answered.
  const isDone = lane.lookingSince === null || lane.revalidateAt > at;
  const rested = isDone
    ? sofar
    : withLane(sofar, lane.policy.workflow, (one) => ({ ...one, lookingSince: null }));
  return keepRefusals(rested, lane.policy.workflow);
}

/**
 * Whom to look at, in the order in which they may start: work in hand goes before new work. Up to ten, however few slots
 * there are, so that a line of blocked ones is passed by quickly; but no more than it takes to have as many that were found
 * ready before as there are slots.
 */
function contenders(state: State, lane: Lane, slots: number, at: Instant): readonly IssueId[] {
  // Those on whose account this workflow may look at all: without them it might look in a circle.
  const best = firstOf(inLine(state, lane, at), Math.min(slots, REVALIDATE_MAX));
  if (best.length === 0) return [];
  const room = rooms(state, lane);
  // The first of them that may start is the one that tries.
  if (lane.hold !== null) return firstOf(triersIn(state, lane, room, at), REVALIDATE_MAX).map(({ id }) => id);
  const due = dueIn(state, lane, room, at);
  const queued = [...queuedIn(state, lane, room, at)];
  const changed = queued.filter(({ look }) => look === "first").slice(0, FIRST_MAX);
  const wanted = [...best, ...due, ...[...changed, ...queued].map(({ issue }) => issue)];
  const ten = new Set(firstOf(new Set(wanted.map(({ id }) => id)), REVALIDATE_MAX));
  const inOrder = [...new Set([...due, ...queued.map(({ issue }) => issue)].map(({ id }) => id))];
  const must = new Set(best.map(({ id }) => id));
  let known = 0;
  return inOrder.filter((id) => {
    if (!ten.has(id) || (known >= slots && !must.has(id))) return false;
    if (lane.ready.has(id)) known += 1;
    return true;
  });
}

function firstOf<T>(from: Iterable<T>, count: number): readonly T[] {
  const taken: T[] = [];
  for (const one of from) {
    if (taken.length >= count) break;
    taken.push(one);
  }
  return taken;
}

/** The contenders as they are now: start what may start, let go of what may not, then look at the next. */
export function revalidated(sofar: Decision, event: Extract<Event, { type: "revalidated" }>): Decision {
  const issues = new Map(event.issues.map((issue) => [issue.id, issue]));
  const { workflow, ids, unreadable: unread = [], at } = event;
  const open = withLane(sofar, workflow, (lane) => ({
    ...lane,
    revalidating: [],
    failedLooks: 0,
    lookLater: null,
  }));
  const again = answered(open, "contenders", workflow, at);
  const noted = unread.reduce((next, one) => unreadable(next, workflow, one, at), again);
  const bad = new Set(unread.map(({ id }) => id));
  const read = ids.filter((id) => !bad.has(id));
  return read.reduce((next, id) => consider(next, event, id, issues.get(id)), noted);
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
  const idle = claim?.workflow === workflow && claim.phase !== "running";
  if (idle && issue === undefined && !wasMissing(lane, id)) return missing(sofar, workflow, id, at);
  return considerSettled(settled(sofar, workflow, [id]), lane, id, issue, at);
}

/** What is missing now was missing before. */
function considerSettled(
  sofar: Decision,
  lane: Lane,
  id: IssueId,
  issue: Issue | undefined,
  at: Instant,
): Decision {
  const { workflow } = lane.policy;
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
  if (issue === undefined) return changeCandidate(sofar, lane.policy.workflow, id, () => null);
  if (refusal(issue, lane.policy) !== null) return refuse(sofar, lane, issue, at);
  if (!maySlot(sofar.state, lane, issue, at)) return ready(sofar, lane, issue);
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
  if (isOver(issue, lane.policy)) {
    const over = { ...claim, issue };
    return removeWorkspace(letGo(sofar, over, overWords(issue, lane), at), over);
  }
  const why = refusal(issue, lane.policy);
  if (why !== null) return letGo(sofar, { ...claim, issue }, why, at);
  // It was due when it was asked for; by now it may have run and failed.
  if (claim.retryAt > at) return put(sofar, { ...claim, issue }, at);
  // No slot consumes no attempt (I8 of docs/ARCHITECTURE.md): it stays first in line.
  if (!maySlot(sofar.state, lane, issue, at)) {
    const isAsBefore = issue.updatedAt === claim.issue.updatedAt && issue.state === claim.issue.state;
    return ready(isAsBefore ? sofar : put(sofar, { ...claim, issue }, at), lane, issue);
  }
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
  if (!issue.dispatchable) {
    const away = unpark(sofar, claim, notHere(issue), at);
    return isOver(issue, lane.policy) ? removeWorkspace(away, claim) : away;
  }
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
  if (lost.length > 0) return unpark(sofar, claim, `somebody took the label "${lost.join(", ")}" off`, at);
  // People find it by the name that it has now.
  const { identifier } = issue;
  return identifier === claim.issue.identifier
    ? sofar
    : put(sofar, { ...claim, issue: { ...claim.issue, identifier } }, at);
}

/**
 * What its agent did last, and nobody saw: an issue that is done, or not to be worked on here, is let go of with its
 * counters, any other stays parked.
 */
function firstLook(sofar: Decision, lane: Lane, parked: Parked, issue: Issue, at: Instant): Decision {
  const { unseen: _unseen, ...claim } = { ...parked, issue };
  if (isOver(issue, lane.policy))
    return removeWorkspace(letGo(sofar, claim, overWords(issue, lane), at), claim);
  return issue.dispatchable ? put(sofar, claim, at) : letGo(sofar, claim, notHere(issue), at);
}

const overWords = (issue: Issue, { policy }: Lane): string =>
  isTerminal(issue, policy) ? "it is done" : notHere(issue);

function unpark(sofar: Decision, claim: Parked, why: string, at: Instant): Decision {
  const fresh = released(tallyOf(sofar.state, claim.issue.id), { parked: claim.why });
  const said = say(sofar, at, about(claim), { type: "unparked", why });
  return drop(count(said, claim.issue.id, claim.issue.identifier, fresh), claim.issue.id);
}

const maySlot = (state: State, lane: Lane, issue: Issue, at: Instant): boolean =>
  startGate(state, lane, at) === null && noSlot(state, lane, issue, at) === null;
