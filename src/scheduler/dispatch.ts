/**
 * Who starts next. One path for every start: the best contenders are fetched whole by id (`revalidate`), and what comes
 * back is started if it still may. So nothing starts on a stale list, and a freed slot is refilled without a scan.
 */
import type { Issue, IssueId, IssueSummary } from "../domain/issue.ts";
import { stateKey } from "../domain/issue.ts";
import { noTokens } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import { beginWithin, release, removeWorkspace } from "./begin.ts";
import { about, count, drop, put, say, tallyOf, withBoard, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { byDispatchOrder, freeSlots, freeSlotsInState, isTerminal, refusal } from "./eligible.ts";
import type { Event } from "./events.ts";
import { startGate } from "./gates.ts";
import type { Board, Parked, State, Waiting } from "./state.ts";

/** One request's worth: ten hydrated issues stay near a tenth of Linear's limit for a single query. */
export const REVALIDATE_MAX = 10;

/** Asks for the best contenders of every workflow that has free slots and no such question under way. */
export function fill(d: Decision, at: Instant): Decision {
  if (d[0].phase !== "serving") return d;
  return [...d[0].workflows.values()].reduce((next, board) => revalidateBest(next, board, at), d);
}

function revalidateBest(d: Decision, board: Board, at: Instant): Decision {
  const [state] = d;
  if (board.checking.length > 0 || board.checkAt > at || startGate(state, board, at) !== null) return d;
  const ids = contenders(state, board, at);
  if (ids.length === 0) return d;
  const workflow = board.policy.workflow;
  return work(
    withBoard(d, workflow, (b) => ({ ...b, checking: ids })),
    { type: "revalidate", workflow, ids },
  );
}

/** Work in hand goes before new work: due retries first, then the queue; no more than there are slots for. */
function contenders(state: State, board: Board, at: Instant): readonly IssueId[] {
  const slots = Math.min(freeSlots(state, board), board.hold === null ? REVALIDATE_MAX : 1);
  if (slots === 0) return [];
  const inLine: readonly IssueSummary[] = [
    ...dueClaims(state, board, at).map((claim) => claim.issue),
    ...board.queue
      // Another workflow may have taken it since the scan: asked for now, it would be asked for again and again.
      .filter(({ issue, refusedAt }) => refusedAt === null && !state.claims.has(issue.id))
      .map((candidate) => candidate.issue),
  ];
  const takenByState = new Map<string, number>();
  const ids: IssueId[] = [];
  for (const issue of inLine) {
    if (ids.length >= slots) break;
    const key = stateKey(issue.state);
    const taken = takenByState.get(key) ?? 0;
    if (taken >= freeSlotsInState(state, board, key)) continue;
    takenByState.set(key, taken + 1);
    ids.push(issue.id);
  }
  return ids;
}

const dueClaims = (state: State, board: Board, at: Instant): readonly Waiting[] =>
  [...state.claims.values()]
    .filter(
      (claim): claim is Waiting =>
        claim.phase === "waiting" && claim.workflow === board.policy.workflow && claim.retryAt <= at,
    )
    .sort((a, b) => byDispatchOrder(a.issue, b.issue));

/** The contenders as they are now: start what may start, let go of what may not, then look at the next. */
export function revalidated(d: Decision, event: Extract<Event, { type: "revalidated" }>): Decision {
  const issues = new Map(event.issues.map((issue) => [issue.id, issue]));
  const open = withBoard(d, event.workflow, (b) => ({ ...b, checking: [] }));
  return event.ids.reduce((next, id) => consider(next, event, id, issues.get(id)), open);
}

function consider(
  d: Decision,
  { workflow, at }: Extract<Event, { type: "revalidated" }>,
  id: IssueId,
  issue: Issue | undefined,
): Decision {
  const board = d[0].workflows.get(workflow);
  if (board === undefined) return d;
  const claim = d[0].claims.get(id);
  if (claim === undefined) return considerNew(d, board, id, issue, at);
  // It was asked for before another workflow took it: that one's claim is none of this one's business.
  if (claim.workflow !== workflow) return d;
  switch (claim.phase) {
    case "running":
      return d;
    case "waiting":
      return considerAgain(d, board, claim, issue, at);
    case "parked":
      return considerParked(d, board, claim, issue, at);
  }
}

function considerNew(
  d: Decision,
  board: Board,
  id: IssueId,
  issue: Issue | undefined,
  at: Instant,
): Decision {
  if (issue === undefined || refusal(issue, board.policy) !== null) return refuse(d, board, id, issue, at);
  if (!maySlot(d[0], board, issue, at)) return refresh(d, board, issue);
  return beginWithin(d, board, { issue, attempt: null, kind: "first" }, at);
}

function considerAgain(
  d: Decision,
  board: Board,
  claim: Waiting,
  issue: Issue | undefined,
  at: Instant,
): Decision {
  if (issue === undefined) return release(d, claim, "it is no longer visible in the tracker", at);
  if (isTerminal(issue, board.policy)) {
    return removeWorkspace(release(d, { ...claim, issue }, "it is done", at), { ...claim, issue });
  }
  const why = refusal(issue, board.policy);
  if (why !== null) return release(d, { ...claim, issue }, why, at);
  // It was due when it was asked for; by now it may have run and failed.
  if (claim.retryAt > at) return put(d, { ...claim, issue }, at);
  // No slot consumes no attempt (I8): it stays first in line.
  if (!maySlot(d[0], board, issue, at)) return put(d, { ...claim, issue }, at);
  return beginWithin(d, board, { issue, attempt: claim.attempt, kind: claim.kind }, at);
}

/** Only a person's move releases a park: another state, or the dispatch label taken away. */
function considerParked(
  d: Decision,
  board: Board,
  claim: Parked,
  issue: Issue | undefined,
  at: Instant,
): Decision {
  if (issue === undefined) return unpark(d, claim, "the issue is no longer visible in the tracker", at);
  if (claim.unseen === true) return firstLook(d, board, claim, issue, at);
  if (stateKey(issue.state) !== stateKey(claim.issue.state)) {
    const done = unpark(d, claim, `somebody moved it from "${claim.issue.state}" to "${issue.state}"`, at);
    return isTerminal(issue, board.policy) ? removeWorkspace(done, claim) : done;
  }
  const lost = board.policy.requiredLabels.filter(
    (label) => claim.issue.labels.includes(label) && !issue.labels.includes(label),
  );
  return lost.length > 0 ? unpark(d, claim, `somebody took the label "${lost.join(", ")}" off`, at) : d;
}

/** What its agent did last, and nobody saw: a done issue is let go of with its counters, any other stays parked. */
function firstLook(d: Decision, board: Board, parked: Parked, issue: Issue, at: Instant): Decision {
  const { unseen: _unseen, ...claim } = { ...parked, issue };
  return isTerminal(issue, board.policy)
    ? removeWorkspace(release(d, claim, "it is done", at), claim)
    : put(d, claim, at);
}

function unpark(d: Decision, claim: Parked, why: string, at: Instant): Decision {
  const tally = tallyOf(d[0], claim.issue.id);
  const fresh = { ...tally, runs: 0, failures: 0, idle: 0, extraRuns: 0, extraTokens: 0, tokens: noTokens };
  const said = say(d, at, about(claim), { type: "unparked", why });
  return drop(count(said, claim.issue.id, claim.issue.identifier, fresh), claim.issue.id);
}

const maySlot = (state: State, board: Board, issue: Issue, at: Instant): boolean =>
  startGate(state, board, at) === null &&
  freeSlots(state, board) > 0 &&
  freeSlotsInState(state, board, issue.state) > 0;

/** A candidate that may not start stays in the queue, marked, so that the next in line gets its look. */
function refuse(d: Decision, board: Board, id: IssueId, issue: Issue | undefined, at: Instant): Decision {
  return withBoard(d, board.policy.workflow, (b) => ({
    ...b,
    queue: b.queue
      .filter((candidate) => candidate.issue.id !== id || issue !== undefined)
      .map((candidate) => (candidate.issue.id === id ? { ...candidate, refusedAt: at } : candidate)),
  }));
}

const refresh = (d: Decision, board: Board, issue: Issue): Decision =>
  withBoard(d, board.policy.workflow, (b) => ({
    ...b,
    queue: b.queue.map((candidate) =>
      candidate.issue.id === issue.id ? { ...candidate, issue } : candidate,
    ),
  }));
