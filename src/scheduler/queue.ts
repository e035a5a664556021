/**
 * The candidates of one workflow between two scans: who is in line, who was refused and for what, and who is to be looked
 * at again, because something changed, a blocker is out of the way, or its turn has come.
 */
import {
  type Instant,
  type Issue,
  type IssueId,
  type IssueSummary,
  type WorkflowName,
} from "../domain/domain.ts";
import { changeCandidate, record, withLane } from "./change.ts";
import type { Decision } from "./effects.ts";
import { byDispatchOrder, isBlocking } from "./eligible.ts";
import type { Candidate, Lane, Refusal, State } from "./state.ts";

/** How many refused (blocked, say) candidates have their turn to be looked at again after each scan, oldest look first. */
const RECHECK_MAX = 10;

/** Refusals that are written down, the first ones of the queue: as many as are blocked on any board that was seen. */
const REFUSALS_MAX = 1_000;

/** The lane with the queue that this scan makes: what is unclaimed, in dispatch order. */
export function requeued(state: State, lane: Lane, issues: readonly IssueSummary[]): Lane {
  const before = new Map(lane.queue.map((candidate) => [candidate.issue.id, candidate]));
  const queue = issues
    .filter((issue) => !state.claims.has(issue.id))
    .map((issue) => candidateOf(issue, before.get(issue.id), lane.remembered.get(issue.id)))
    .sort((a, b) => byDispatchOrder(a.issue, b.issue));
  const known = lane.queue.filter(isRefused).length + lane.remembered.size;
  return {
    ...lane,
    queue: withTurns(queue),
    remembered: new Map(),
    // A scan forgets refusals, of what has changed or is gone; it makes none.
    refusalsKept: lane.refusalsKept && queue.filter(isRefused).length === known,
    ready: stillReady(lane, queue),
  };
}

function candidateOf(
  issue: IssueSummary,
  before: Candidate | undefined,
  told: Refusal | undefined,
): Candidate {
  if (before !== undefined && !isRefused(before))
    return { issue, refusedAt: null, blockers: [], look: before.look === "first" ? "first" : "in line" };
  const refusal = before === undefined ? told : refusalOf(before);
  if (refusal === undefined) return { issue, refusedAt: null, blockers: [], look: "in line" };
  if (refusal.updatedAt !== issue.updatedAt || refusal.state !== issue.state)
    return { issue, refusedAt: null, blockers: [], look: "first" };
  const { at: refusedAt, blockers } = refusal;
  return { issue, refusedAt, blockers, look: before?.look ?? "later" };
}

/** Those that are as they were found, and what waits for a time. */
function stillReady({ ready, queue: before }: Lane, queue: readonly Candidate[]): Lane["ready"] {
  if (ready.size === 0) return ready;
  const now = new Map(queue.map(({ issue }) => [issue.id, issue]));
  const gone = before
    .filter(({ issue }) => ready.has(issue.id) && now.get(issue.id)?.updatedAt !== issue.updatedAt)
    .map(({ issue }) => issue.id);
  return new Set([...ready].filter((id) => !gone.includes(id)));
}

const isRefused = ({ refusedAt }: Candidate): boolean => refusedAt !== null;

/** However long there is no slot, no more than these are looked at again: the others are as they were found. */
function withTurns(queue: readonly Candidate[]): readonly Candidate[] {
  const refused = queue.filter(isRefused);
  const waiting = refused.filter(({ look }) => look === "later");
  const turns = RECHECK_MAX - (refused.length - waiting.length);
  if (turns <= 0 || waiting.length === 0) return queue;
  const again = new Set(
    waiting
      .sort((a, b) => (a.refusedAt ?? 0) - (b.refusedAt ?? 0))
      .slice(0, turns)
      .map(({ issue }) => issue.id),
  );
  return queue.map((one) => (again.has(one.issue.id) ? { ...one, look: "in line" } : one));
}

/** Whether all of these were refused and have their turn, and nothing is known to have changed. */
export function areTurns({ queue }: Lane, ids: readonly IssueId[]): boolean {
  const turns = new Set(queue.filter((one) => isRefused(one) && one.look === "in line").map(idOf));
  return ids.every((id) => turns.has(id));
}

/** They had their turn, and nobody could look: they have it again after a later scan. */
export const laterAgain = (sofar: Decision, workflow: WorkflowName, ids: readonly IssueId[]): Decision =>
  ids.reduce(
    (next, id) => changeCandidate(next, workflow, id, (before) => ({ ...before, look: "later" })),
    sofar,
  );

const idOf = ({ issue: { id } }: Candidate): IssueId => id;

/** It was looked at and may not start: it keeps its place, and the next in line gets its look. */
export function refuse(sofar: Decision, lane: Lane, issue: Issue, at: Instant): Decision {
  const { workflow } = lane.policy;
  const blockers = issue.blockedBy
    .filter((blocker) => isBlocking(blocker, lane.policy))
    .flatMap(({ id }) => id ?? []);
  let isNews = false;
  const refused = changeCandidate(sofar, workflow, issue.id, (before) => {
    isNews =
      !isRefused(before) || before.issue.updatedAt !== issue.updatedAt || !same(before.blockers, blockers);
    return { issue: summaryOf(before, issue), refusedAt: at, blockers, look: "later" };
  });
  return isNews ? withLane(refused, workflow, (one) => ({ ...one, refusalsKept: false })) : refused;
}

/** What a scan has to differ from to be news: a change between the scan and the look was looked at. */
const summaryOf = ({ issue }: Candidate, { state, updatedAt }: Issue): IssueSummary => ({
  ...issue,
  state,
  updatedAt,
});

/** It was looked at and may start, but for a slot: it stays as it is, and the tracker is not asked about the next ones for it. */
export const ready = (sofar: Decision, { policy: { workflow } }: Lane, issue: Issue): Decision =>
  withLane(
    changeCandidate(sofar, workflow, issue.id, (candidate) => ({ ...candidate, issue })),
    workflow,
    (lane) => (lane.ready.has(issue.id) ? lane : { ...lane, ready: new Set([...lane.ready, issue.id]) }),
  );

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, n) => id === b[n]);

/** Writes down who is refused, if that is not what is written: a start begins with it. */
export function keepRefusals(sofar: Decision, workflow: WorkflowName): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined || lane.refusalsKept) return sofar;
  const refused = lane.queue.flatMap((one) => {
    const refusal = refusalOf(one);
    return refusal === undefined ? [] : [[one.issue.id, refusal] as const];
  });
  const kept = withLane(sofar, workflow, (one) => ({ ...one, refusalsKept: true }));
  return record(kept, { type: "refusals", workflow, refusals: new Map(refused.slice(0, REFUSALS_MAX)) });
}

const refusalOf = ({ issue: { state, updatedAt }, refusedAt, blockers }: Candidate): Refusal | undefined =>
  refusedAt === null ? undefined : { at: refusedAt, state, updatedAt, blockers };
