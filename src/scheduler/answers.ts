/** What follows from an order, in words for the person who gave it: what is true of the workflow now, and nothing more. */
import { EVERYTHING, type PauseScope, type WorkflowName } from "../domain/domain.ts";
import { isUnfit } from "./gates.ts";
import type { Hold, HoldCause, Lane, State } from "./state.ts";

/** What is paused or goes on. */
export const nameOf = (scope: PauseScope): string =>
  scope === EVERYTHING ? "everything" : `workflow "${scope}"`;

/** Why nothing starts in this workflow although somebody said that it may, and what has to happen; null = it starts. */
export function obstacle(state: State, lane: Lane): string | null {
  const { workflow } = lane.policy;
  if (state.phase !== "serving" && state.phase !== "starting")
    return `Baton is ${state.phase}: it goes on at the next start`;
  if (state.pauses.has(EVERYTHING)) return "everything is paused: it goes on with `baton resume`";
  if (state.pauses.has(workflow))
    return `it is paused: it goes on with \`baton resume --workflow ${workflow}\``;
  if (lane.broken !== null) return "its WORKFLOW.md cannot be used: it goes on when that is mended";
  if (lane.diskLow !== null) return `it goes on when there is room: ${lane.diskLow}`;
  return lane.hold === null ? null : trialWords(lane.hold);
}

const trialWords = (hold: Hold): string =>
  isUnfit(hold)
    ? `it is held: ${hold.why} It is looked now whether that is over`
    : runWords(hold.cause, hold.trial !== null);

const runWords = (cause: HoldCause, underWay: boolean): string =>
  `one run ${underWay ? "is trying already" : "tries now"} whether ${OVER[cause]}; the others go on when it does`;

const OVER: Readonly<Record<HoldCause, string>> = {
  provider: "the provider works again",
  installation: "a run can begin here again",
  systemic: "it gets further than those that failed alike",
};

/** Those of these workflows that are known. */
export const lanesOf = (state: State, names: readonly WorkflowName[]): readonly Lane[] =>
  names.flatMap((name) => state.workflows.get(name) ?? []);

/** The obstacles of these workflows, each once; null = there are none. */
export function obstacles(state: State, lanes: readonly Lane[]): string | null {
  const found = lanes.flatMap((lane) => {
    const why = obstacle(state, lane);
    return why === null ? [] : [[lane.policy.workflow, why] as const];
  });
  const different = new Set(found.map(([, why]) => why));
  if (different.size <= 1 && found.length === lanes.length) return found[0]?.[1] ?? null;
  return found.length === 0 ? null : found.map(([name, why]) => `workflow "${name}": ${why}`).join("; ");
}
