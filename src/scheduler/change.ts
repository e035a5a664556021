/**
 * The few ways a decision grows: a claim put or dropped (state and record together, so that they cannot part), a tally
 * changed, a fact said, work asked for. Everything else in scheduler/ is built from these.
 */
import type { FactBody, Instant, IssueId, Scope, WorkflowName } from "../domain/domain.ts";
import type { Decision, LedgerRecord, Work } from "./effects.ts";
import type { Candidate, Lane, Claim, Hold, Running, State } from "./state.ts";
import { newTally, type Tally } from "./tally.ts";

export const tallyOf = (state: State, id: IssueId): Tally => state.tallies.get(id) ?? newTally;

/** A step in which nothing has been decided yet. */
export const nothing = (state: State): Decision => ({ state, records: [], facts: [], work: [] });

/** Changes what is known, and writes nothing down. */
export const withState = (sofar: Decision, changes: Partial<State>): Decision => ({
  ...sofar,
  state: { ...sofar.state, ...changes },
});

/** Writes something down. */
export const record = (sofar: Decision, entry: LedgerRecord): Decision => ({
  ...sofar,
  records: [...sofar.records, entry],
});

/** Asks for something to be done. */
export const work = (sofar: Decision, task: Work): Decision => ({ ...sofar, work: [...sofar.work, task] });

/** Says a fact; it becomes an event row with the step's records and is published after them. */
export const say = (sofar: Decision, at: Instant, scope: Scope, body: FactBody): Decision => ({
  ...sofar,
  facts: [...sofar.facts, { ...body, ...scope, at }],
});

/** Puts a claim into its (new) phase and writes it down. */
export const put = (sofar: Decision, claim: Claim, at: Instant): Decision =>
  record(withClaim(sofar, claim), { type: "claim", claim, at });

/** Changes what is known of a running claim. Not written down: after a crash only the phase and the run rows count. */
export const update = (sofar: Decision, claim: Running): Decision => withClaim(sofar, claim);

/** Lets go of an issue; `state`: as it was seen last, where that is another than it was claimed in. */
export const drop = (sofar: Decision, id: IssueId, state?: string): Decision =>
  record(withState(sofar, { claims: sofar.state.claims.without(id) }), {
    type: "unclaim",
    issueId: id,
    ...(state !== undefined && { state }),
  });

/** Changes an issue's counters and writes them down. */
export function count(sofar: Decision, id: IssueId, identifier: string, tally: Tally): Decision {
  const tallies = sofar.state.tallies.with(id, tally);
  return record(withState(sofar, { tallies }), { type: "tally", issueId: id, identifier, tally });
}

/** Changes the lane of a workflow; a workflow that is not known has none. */
export function withLane(sofar: Decision, name: WorkflowName, change: (lane: Lane) => Lane): Decision {
  const { workflows } = sofar.state;
  const lane = workflows.get(name);
  if (lane === undefined) return sofar;
  return withState(sofar, { workflows: new Map(workflows).set(name, change(lane)) });
}

/** Changes one candidate in the queue of a workflow, or takes it out (null). */
export const changeCandidate = (
  sofar: Decision,
  workflow: WorkflowName,
  id: IssueId,
  change: (candidate: Candidate) => Candidate | null,
): Decision =>
  withLane(sofar, workflow, (lane) => {
    const place = lane.queue.findIndex(({ issue }) => issue.id === id);
    const candidate = lane.queue[place];
    if (candidate === undefined) return lane;
    const next = change(candidate);
    return { ...lane, queue: next === null ? lane.queue.toSpliced(place, 1) : lane.queue.with(place, next) };
  });

const withClaim = (sofar: Decision, claim: Claim): Decision =>
  withState(sofar, { claims: sofar.state.claims.with(claim) });

/** Whom facts about a claim are about. */
export const about = (claim: Claim): Scope => ({
  workflow: claim.workflow,
  issueId: claim.issue.id,
  identifier: claim.issue.identifier,
  ...(claim.phase === "running" ? { runId: claim.run.id } : {}),
  ...(claim.phase === "running" && claim.thread !== null ? { threadId: claim.thread } : {}),
});

/** Puts a hold on a workflow, changes it, or ends it (null); state and record together. */
export const withHold = (sofar: Decision, workflow: WorkflowName, hold: Hold | null): Decision =>
  record(
    withLane(sofar, workflow, (lane) => ({ ...lane, hold })),
    { type: "hold", workflow, hold },
  );
