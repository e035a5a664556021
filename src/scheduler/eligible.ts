/** Which issues may start, and in what order (SPEC 8.2, 8.3). Questions only: nothing here changes anything. */
import {
  type Issue,
  type IssueStatus,
  type IssueSummary,
  stateKey,
  type WorkflowName,
} from "../domain/domain.ts";
import type { Lane, Policy, State } from "./state.ts";

/** SPEC 8.2 names this one state: blockers hold back what has not begun, not what is under way. */
const BLOCKABLE_STATE = "todo";

export const isTerminal = (issue: IssueSummary, policy: Policy): boolean =>
  policy.terminalStates.has(stateKey(issue.state));

/** Why a run on this issue may not go on (I7 of docs/ARCHITECTURE.md), in words for people; null when it may. */
export function unroutable(issue: IssueStatus, policy: Policy): string | null {
  const state = stateKey(issue.state);
  if (policy.terminalStates.has(state)) return `its state "${issue.state}" is terminal`;
  if (!policy.activeStates.has(state)) return `its state "${issue.state}" is not an active one`;
  if (!issue.dispatchable) return "it is archived, in the trash, or assigned to somebody else";
  const missing = policy.requiredLabels.filter((label) => !issue.labels.includes(label));
  if (missing.length > 0) return `it lacks the label ${missing.map((label) => `"${label}"`).join(", ")}`;
  return null;
}

/** Why no run may start on this issue, in words for people; null when one may. */
export function refusal(issue: Issue, policy: Policy): string | null {
  if (issue.identifier === "" || issue.title === "") return "it has no identifier or no title";
  return unroutable(issue, policy) ?? blocked(issue, policy);
}

function blocked(issue: Issue, policy: Policy): string | null {
  if (stateKey(issue.state) !== BLOCKABLE_STATE) return null;
  const open = issue.blockedBy.filter(
    // A blocker whose state nobody knows still blocks: starting too late costs less than starting too early.
    (blocker) => blocker.state === null || !policy.terminalStates.has(stateKey(blocker.state)),
  );
  if (open.length === 0) return null;
  return `it is blocked by ${open.map((blocker) => blocker.identifier ?? blocker.id ?? "an unknown issue").join(", ")}`;
}

/** Dispatch order: priority 1 to 4 and then none, oldest, identifier (SPEC 8.2). */
export function byDispatchOrder(a: IssueSummary, b: IssueSummary): number {
  return (
    rank(a) - rank(b) ||
    (a.createdAt ?? Number.MAX_SAFE_INTEGER) - (b.createdAt ?? Number.MAX_SAFE_INTEGER) ||
    (a.identifier < b.identifier ? -1 : a.identifier > b.identifier ? 1 : 0)
  );
}

const rank = (issue: IssueSummary): number => issue.priority ?? 5;

/** All workflows share as many slots as the most generous of them has; each also keeps to its own number (I2). */
export const sharedSlots = (state: State): number =>
  Math.max(0, ...[...state.workflows.values()].map((lane) => lane.policy.agentsMax));

/** How many more runs this workflow may have now. Never negative, also after its limit was lowered. */
export function freeSlots(state: State, lane: Lane): number {
  const { running } = state.claims;
  let own = 0;
  for (const claim of running.values()) if (claim.workflow === lane.policy.workflow) own += 1;
  return Math.max(0, Math.min(sharedSlots(state) - running.size, lane.policy.agentsMax - own));
}

/** How many more runs may have an issue in this state (SPEC 8.3: counted by the state last seen). */
export function freeSlotsInState(state: State, lane: Lane, issueState: string): number {
  const key = stateKey(issueState);
  const cap = lane.policy.agentsMaxByState.get(key);
  if (cap === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, cap - runningInState(state, lane.policy.workflow, key));
}

function runningInState(state: State, workflow: WorkflowName, key: string): number {
  let count = 0;
  for (const claim of state.claims.running.values())
    if (claim.workflow === workflow && stateKey(claim.issue.state) === key) count += 1;
  return count;
}
