/** Which issues may start, and in what order (SPEC 8.2, 8.3). Questions only: nothing here changes anything. */
import {
  type Blocker,
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

/** Nobody will work on it again, by all that the tracker says: its workspace goes. */
export const isOver = (issue: IssueSummary, policy: Policy): boolean =>
  isTerminal(issue, policy) || issue.putAway === true;

/** Why nobody may work here on an issue that is not dispatchable, in words for people. */
export const notHere = ({ whyNot }: IssueSummary): string =>
  whyNot ?? "the tracker says that nobody may work on it here";

/** Why this gate is shut for an issue, in words for people; null = it is open. */
type Question<I> = (issue: I, policy: Policy) => string | null;

/** What a run needs to go on, in the order in which it is asked. */
const routeGates = {
  state: ({ state }, { terminalStates, activeStates }) => {
    if (terminalStates.has(stateKey(state))) return `its state "${state}" is terminal`;
    return activeStates.has(stateKey(state)) ? null : `its state "${state}" is not an active one`;
  },
  dispatchable: (issue) => (issue.dispatchable ? null : notHere(issue)),
  label: ({ labels }, { requiredLabels }) => {
    if (requiredLabels.includes("")) return "a blank label is required, and no issue has one";
    const missing = requiredLabels.filter((label) => !labels.includes(label));
    return missing.length === 0
      ? null
      : `it lacks the label ${missing.map((label) => `"${label}"`).join(", ")}`;
  },
} satisfies Readonly<Record<string, Question<IssueStatus>>>;

/** What a run needs to start, in the order in which it is asked. */
const issueGates = {
  name: ({ identifier, title }: Issue) =>
    identifier === "" || title === "" ? "it has no identifier or no title" : null,
  ...routeGates,
  blockers: (issue: Issue, policy: Policy) => blocked(issue, policy),
} satisfies Readonly<Record<string, Question<Issue>>>;

/** A gate of one issue, by name. */
export type IssueGate = keyof typeof issueGates;

const forRoute: readonly Question<IssueStatus>[] = Object.values(routeGates);
const forStart = Object.entries(issueGates) as readonly (readonly [IssueGate, Question<Issue>])[];

/** Why a run on this issue may not go on (I7 of docs/ARCHITECTURE.md), in words for people; null when it may. */
export function unroutable(issue: IssueStatus, policy: Policy): string | null {
  for (const ask of forRoute) {
    const why = ask(issue, policy);
    if (why !== null) return why;
  }
  return null;
}

/** Why no run may start on this issue, in words for people; null when one may. */
export function refusal(issue: Issue, policy: Policy): string | null {
  for (const [, ask] of forStart) {
    const why = ask(issue, policy);
    if (why !== null) return why;
  }
  return null;
}

/** Every gate of the issue itself, each with why it is shut; null = it is open. */
export const gatesOf = (issue: Issue, policy: Policy): readonly (readonly [IssueGate, string | null])[] =>
  forStart.map(([name, ask]) => [name, ask(issue, policy)]);

function blocked(issue: Issue, policy: Policy): string | null {
  if (stateKey(issue.state) !== BLOCKABLE_STATE) return null;
  const open = issue.blockedBy.filter((blocker) => isBlocking(blocker, policy));
  if (open.length === 0) return null;
  return `it is blocked by ${open.map((blocker) => blocker.identifier ?? blocker.id ?? "an unknown issue").join(", ")}`;
}

/** A blocker whose state nobody knows still blocks: starting too late costs less than starting too early. */
export const isBlocking = ({ state }: Pick<Blocker, "state">, { terminalStates }: Policy): boolean =>
  state === null || !terminalStates.has(stateKey(state));

/** Dispatch order: priority 1 to 4 and then none, oldest, identifier (SPEC 8.2). */
export const byDispatchOrder = (a: IssueSummary, b: IssueSummary): number =>
  byPriorityAndAge(a, b) || (a.identifier < b.identifier ? -1 : a.identifier > b.identifier ? 1 : 0);

/** The part of it that tickets of several workflows are compared by. */
export const byPriorityAndAge = (a: IssueSummary, b: IssueSummary): number =>
  rank(a) - rank(b) || (a.createdAt ?? Number.MAX_SAFE_INTEGER) - (b.createdAt ?? Number.MAX_SAFE_INTEGER);

const rank = (issue: IssueSummary): number => issue.priority ?? 5;

/** All workflows share as many slots as the most generous of them has; each also keeps to its own number (I2). */
export const sharedSlots = (state: State): number =>
  Math.max(0, ...[...state.workflows.values()].map((lane) => lane.policy.agentsMax));

/** How many runs there are of something, and how many there may be. */
export interface Slots {
  readonly used: number;
  readonly max: number;
}

/** Those of all workflows together. */
export const slotsOfAll = (state: State): Slots => ({
  used: state.claims.running.size,
  max: sharedSlots(state),
});

/** Those of this workflow. */
export function slotsOf(state: State, { policy: { workflow, agentsMax } }: Lane): Slots {
  let used = 0;
  for (const claim of state.claims.running.values()) if (claim.workflow === workflow) used += 1;
  return { used, max: agentsMax };
}

/** Those of this workflow for issues in this state, by the state last seen (SPEC 8.3). */
export function slotsInState(state: State, { policy }: Lane, issueState: string): Slots {
  const key = stateKey(issueState);
  const max = policy.agentsMaxByState.get(key) ?? Number.POSITIVE_INFINITY;
  // Most workflows set none: what nobody asks for is not counted.
  return { used: max === Number.POSITIVE_INFINITY ? 0 : runningInState(state, policy.workflow, key), max };
}

const left = ({ used, max }: Slots): number => Math.max(0, max - used);

/** How many more runs this workflow may have now. Never negative, also after its limit was lowered. */
export const freeSlots = (state: State, lane: Lane): number =>
  Math.min(left(slotsOfAll(state)), left(slotsOf(state, lane)));

/** How many more runs may have an issue in this state (SPEC 8.3). */
export const freeSlotsInState = (state: State, lane: Lane, issueState: string): number =>
  left(slotsInState(state, lane, issueState));

function runningInState(state: State, workflow: WorkflowName, key: string): number {
  let count = 0;
  for (const claim of state.claims.running.values())
    if (claim.workflow === workflow && stateKey(claim.issue.state) === key) count += 1;
  return count;
}
