/**
 * Who starts next. One path for every start: the best contenders are fetched whole by id (`revalidate`), and what comes
 * back is started if it still may. So nothing starts on a stale list, and a freed slot is refilled without a scan.
 */
import type { Issue, IssueId, IssueSummary } from "../domain/issue.ts";
import { stateKey } from "../domain/issue.ts";
import { noTokens, runId, type Run, type RunKind } from "../domain/run.ts";
import { after, type Instant } from "../domain/time.ts";
import { about, count, drop, put, record, say, tallyOf, withBoard, withHold, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { byDispatchOrder, freeSlots, freeSlotsInState, isTerminal, refusal } from "./eligible.ts";
import type { Event } from "./events.ts";
import { startGate } from "./gates.ts";
import { limitReached, park } from "./parking.ts";
import type { Board, Candidate, Claim, Parked, Running, State, Waiting } from "./state.ts";

/** One request's worth: ten hydrated issues stay near a tenth of Linear's limit for a single query. */
export const REVALIDATE_MAX = 10;

/** How many refused (blocked, say) candidates are looked at again after each scan, oldest look first. */
export const RECHECK_MAX = 10;

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
export const rested = ({ pollAt, policy }: Board, at: Instant): Instant => {
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
  return beginWithin(d, board, issue, null, "first", at);
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
  return beginWithin(d, board, issue, claim.attempt, claim.kind, at);
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

/** Limits hold for every start: they may have been lowered since, or the issue was let go of and is back. */
function beginWithin(
  d: Decision,
  board: Board,
  issue: Issue,
  attempt: number | null,
  kind: RunKind,
  at: Instant,
): Decision {
  const { policy } = board;
  const brake = limitReached(tallyOf(d[0], issue.id), policy);
  if (brake === null) return begin(d, board, issue, attempt, kind, at);
  const { workflow } = policy;
  const scope = { workflow, issueId: issue.id, identifier: issue.identifier };
  return park(unqueue(d, workflow, issue.id), { workflow, issue }, brake, { scope, at, unseen: false });
}

const unqueue = (d: Decision, workflow: Board["policy"]["workflow"], id: IssueId): Decision =>
  withBoard(d, workflow, (b) => ({ ...b, queue: b.queue.filter((c) => c.issue.id !== id) }));

/** Recorded before it is started: a crash between the two leaves a run that the next boot can find (I4). */
function begin(
  d: Decision,
  board: Board,
  issue: Issue,
  attempt: number | null,
  kind: RunKind,
  at: Instant,
): Decision {
  const { workflow, hash, runMaxMs } = board.policy;
  const tally = tallyOf(d[0], issue.id);
  const number = d[0].runsEver + 1;
  const run: Run = {
    id: runId(`r${number}`),
    issueId: issue.id,
    identifier: issue.identifier,
    workflow,
    attempt,
    kind,
    startedAt: at,
  };
  const claim: Running = {
    phase: "running",
    workflow,
    issue,
    run,
    step: "starting",
    thread: null,
    turns: 0,
    tokens: noTokens,
    threadTotal: tally.threadTotal,
    stateBefore: issue.state,
    landing: false,
    pulseAt: null,
    endBy: after(at, runMaxMs),
    leave: null,
    ending: null,
  };
  const unqueued = unqueue(d, workflow, issue.id);
  const probed =
    board.hold === null ? unqueued : withHold(unqueued, workflow, { ...board.hold, probe: run.id });
  const numbered: Decision = [{ ...probed[0], runsEver: number }, probed[1]];
  const counted = count(numbered, issue.id, issue.identifier, { ...tally, runs: tally.runs + 1 });
  const claimed = put(counted, claim, at);
  const started = record(claimed, { type: "run_started", run, issue, workflowHash: hash });
  const said = say(started, at, about(claim), { type: "claimed", state: issue.state, attempt, kind });
  return work(said, { type: "start", run, issue, resume: tally.thread, fingerprint: tally.fingerprint });
}

/** Lets go of a claim without a run (SPEC 7.1 "Released"); its counters stay. */
export const release = (d: Decision, claim: Claim, why: string, at: Instant): Decision =>
  drop(say(d, at, about(claim), { type: "released", why }), claim.issue.id);

/** The issue is done: its workspace goes, and with it the thread that knew it. */
export function removeWorkspace(
  d: Decision,
  { workflow, issue }: Pick<Claim, "workflow" | "issue">,
): Decision {
  const tally = tallyOf(d[0], issue.id);
  const forgotten = count(d, issue.id, issue.identifier, { ...tally, thread: null, threadTotal: noTokens });
  return work(forgotten, { type: "remove", workflow, issueId: issue.id, identifier: issue.identifier });
}
