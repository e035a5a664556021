/**
 * The few ways a decision grows: a claim put or dropped (state and record together, so that they cannot part), a tally
 * changed, a fact said, work asked for. Everything else in scheduler/ is built from these.
 */
import type { Fact, FactBody, Scope } from "../domain/fact.ts";
import type { IssueId } from "../domain/issue.ts";
import { noTokens, type WorkflowName } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import type { Decision, Effect, LedgerRecord, Work } from "./effects.ts";
import type { Board, Claim, Hold, Running, State, Tally } from "./state.ts";

export const newTally: Tally = {
  runs: 0,
  failures: 0,
  idle: 0,
  fingerprint: null,
  extraRuns: 0,
  extraTokens: 0,
  tokens: noTokens,
  thread: null,
  threadTotal: noTokens,
};

export const tallyOf = (state: State, id: IssueId): Tally => state.tallies.get(id) ?? newTally;

/** Adds effects to a decision. */
export const and = ([state, effects]: Decision, ...more: readonly Effect[]): Decision => [
  state,
  [...effects, ...more],
];

export const record = (d: Decision, entry: LedgerRecord): Decision =>
  and(d, { type: "record", record: entry });

export const work = (d: Decision, task: Work): Decision => and(d, task);

/** Says a fact; it becomes an event row with the step's records and is published after them. */
export const say = (d: Decision, at: Instant, scope: Scope, body: FactBody): Decision =>
  // Spreading a union loses which member it is; the parts are typed, so their sum is a Fact.
  and(d, { type: "fact", fact: { ...body, ...scope, at } as Fact });

/** Puts a claim into its (new) phase and writes it down. */
export function put([state, effects]: Decision, claim: Claim, at: Instant): Decision {
  return record([withClaim(state, claim), effects], { type: "claim", claim, at });
}

/** Changes what is known of a running claim. Not written down: after a crash only the phase and the run rows count. */
export const update = ([state, effects]: Decision, claim: Running): Decision => [
  withClaim(state, claim),
  effects,
];

/** Lets go of an issue. */
export function drop([state, effects]: Decision, id: IssueId): Decision {
  const claims = new Map(state.claims);
  claims.delete(id);
  return record([{ ...state, claims }, effects], { type: "unclaim", issueId: id });
}

/** Changes an issue's counters and writes them down. */
export function count([state, effects]: Decision, id: IssueId, identifier: string, tally: Tally): Decision {
  const tallies = new Map(state.tallies).set(id, tally);
  return record([{ ...state, tallies }, effects], { type: "tally", issueId: id, identifier, tally });
}

/** Changes a workflow's board; no effect when the workflow is unknown. */
export function withBoard(
  [state, effects]: Decision,
  name: WorkflowName,
  change: (board: Board) => Board,
): Decision {
  const board = state.workflows.get(name);
  if (board === undefined) return [state, effects];
  return [{ ...state, workflows: new Map(state.workflows).set(name, change(board)) }, effects];
}

const withClaim = (state: State, claim: Claim): State => ({
  ...state,
  claims: new Map(state.claims).set(claim.issue.id, claim),
});

/** Whom facts about a claim are about. */
export const about = (claim: Claim): Scope => ({
  workflow: claim.workflow,
  issueId: claim.issue.id,
  identifier: claim.issue.identifier,
  ...(claim.phase === "running" ? { runId: claim.run.id } : {}),
  ...(claim.phase === "running" && claim.thread !== null ? { threadId: claim.thread } : {}),
});

/** Puts a hold on a workflow, changes it, or ends it (null); state and record together. */
export const withHold = (d: Decision, workflow: WorkflowName, hold: Hold | null): Decision =>
  record(
    withBoard(d, workflow, (board) => ({ ...board, hold })),
    { type: "hold", workflow, hold },
  );
