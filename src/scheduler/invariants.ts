/**
 * What holds after every step (architecture.md, I1-I8): checked by tests and simulation, and by the loop in production,
 * where a violation is a bug that must stop the daemon rather than start a second agent.
 */
import { stateKey } from "../domain/issue.ts";
import type { Run } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import type { Effect } from "./effects.ts";
import { runningClaims, sharedSlots } from "./eligible.ts";
import { dayLimit, spentOn } from "./gates.ts";
import { EVERYTHING, type Board, type Running, type State } from "./state.ts";

/** What is wrong with this step, in words; empty = nothing. */
export function violations(before: State, effects: readonly Effect[], after: State): readonly string[] {
  return [
    ...oneRunEach(after),
    ...startsAreNew(before, effects, after),
    ...startsAreRecorded(effects),
    ...startsKeepCaps(effects, after),
    ...startsAreAllowed(effects, after),
    ...phasesAreWhole(after),
    ...endingsAreFinal(before, effects, after),
    ...tokensOnlyGrow(before, after),
  ];
}

type Start = Extract<Effect, { type: "start" }>;

const starts = (effects: readonly Effect[]): readonly Start[] =>
  effects.filter((effect): effect is Start => effect.type === "start");

function oneRunEach(after: State): readonly string[] {
  const ids = runningClaims(after).map((claim) => claim.run.id);
  const misfiled = [...after.claims].filter(([id, claim]) => claim.issue.id !== id).map(([id]) => id);
  return [
    ...(new Set(ids).size === ids.length ? [] : ["I1: one run is live under two issues"]),
    ...misfiled.map((id) => `I1: the claim under ${id} is on another issue`),
  ];
}

const startsAreNew = (before: State, effects: readonly Effect[], after: State): readonly string[] =>
  starts(effects).flatMap(({ run }) => {
    const was = before.claims.get(run.issueId);
    const is = after.claims.get(run.issueId);
    // A run may end and its successor begin in one step; then the old run's ending is among the effects.
    const ended = effects.some((e) => e.type === "record" && e.record.type === "run_ended");
    return [
      ...(was?.phase === "running" && !ended ? [`I1: ${run.id} starts while ${was.run.id} lives`] : []),
      ...(is?.phase === "running" && is.run.id === run.id ? [] : [`I1: ${run.id} starts without a claim`]),
    ];
  });

/** I4: the claim and the run are written in the step that starts them, and before. */
const startsAreRecorded = (effects: readonly Effect[]): readonly string[] =>
  starts(effects).flatMap((start) => {
    const earlier = effects.slice(0, effects.indexOf(start));
    const has = (test: (effect: Effect) => boolean): boolean => earlier.some(test);
    const run = has(
      (e) => e.type === "record" && e.record.type === "run_started" && e.record.run.id === start.run.id,
    );
    const claim = has(
      (e) =>
        e.type === "record" && e.record.type === "claim" && e.record.claim.issue.id === start.run.issueId,
    );
    return run && claim ? [] : [`I4: ${start.run.id} starts before it is recorded`];
  });

/** I2: a lowered limit stops nobody, so caps are held against what starts. */
function startsKeepCaps(effects: readonly Effect[], after: State): readonly string[] {
  const started = starts(effects);
  if (started.length === 0) return [];
  const running = runningClaims(after);
  const over = running.length > sharedSlots(after) ? ["I2: more runs than shared slots"] : [];
  const boards = [...new Set(started.map(({ run }) => run.workflow))]
    .map((name) => after.workflows.get(name))
    .filter((board): board is Board => board !== undefined);
  return [...over, ...boards.flatMap((board) => overOwnCaps(board, running, started))];
}

function overOwnCaps(
  { policy }: Board,
  running: readonly Running[],
  started: readonly Start[],
): readonly string[] {
  const own = running.filter((claim) => claim.workflow === policy.workflow);
  const over = own.length > policy.agentsMax ? [`I2: "${policy.workflow}" has more runs than slots`] : [];
  const states = new Set(started.map(({ issue }) => stateKey(issue.state)));
  const overByState = [...states].filter((key) => {
    const cap = policy.agentsMaxByState.get(key);
    return cap !== undefined && own.filter((claim) => stateKey(claim.issue.state) === key).length > cap;
  });
  return [
    ...over,
    ...overByState.map((key) => `I2: "${policy.workflow}" has too many runs in state "${key}"`),
  ];
}

/** I8: nothing starts, and no turn begins, while a gate is shut. */
const startsAreAllowed = (effects: readonly Effect[], after: State): readonly string[] => [
  ...starts(effects).flatMap(({ run }) =>
    shutFor(run, run.startedAt, after).map((why) => `I8: ${run.id} starts while ${why}`),
  ),
  ...effects.flatMap((effect) => {
    if (effect.type !== "turn") return [];
    const claim = runningClaims(after).find((one) => one.run.id === effect.runId);
    if (claim === undefined) return [`I8: a turn of ${effect.runId} begins without a claim`];
    // The first turn of a run belongs to its start, which was allowed; what has changed since counts for the next one.
    return effect.turn === 1 || after.phase === "stopped" ? [] : turnShut(claim, after);
  }),
];

function shutFor(run: Run, at: Instant, after: State): readonly string[] {
  const board = after.workflows.get(run.workflow);
  if (board === undefined) return ["nobody knows its workflow"];
  const { hold } = board;
  return [
    ...(after.phase === "serving" ? [] : [`Baton is ${after.phase}`]),
    ...(board.broken === null ? [] : ["its workflow is broken"]),
    ...(board.diskLow === null ? [] : ["the disk takes no work"]),
    ...(hold === null || (hold.until <= at && hold.probe === run.id) ? [] : ["the provider takes no work"]),
    ...(after.pauses.has(EVERYTHING) || after.pauses.has(run.workflow) ? ["it is paused"] : []),
    ...(isOverDay(after, at) ? ["the day's tokens are used up"] : []),
  ];
}

const turnShut = (claim: Running, after: State): readonly string[] => [
  ...(after.phase === "serving"
    ? []
    : [`I8: a turn of ${claim.run.id} begins while Baton is ${after.phase}`]),
  ...(after.pauses.has(EVERYTHING) || after.pauses.has(claim.workflow)
    ? [`I8: a turn of ${claim.run.id} begins while it is paused`]
    : []),
];

function isOverDay(after: State, at: Instant): boolean {
  const limit = dayLimit(after);
  return limit !== null && spentOn(after, at) >= limit;
}

/** I3: waiting has a deadline, parked a reason and a way out. */
const phasesAreWhole = (after: State): readonly string[] =>
  [...after.claims.values()].flatMap((claim) => {
    switch (claim.phase) {
      case "running":
        return claim.step === "ending" && claim.ending === null
          ? [`I3: ${claim.run.id} is ending for no reason`]
          : [];
      case "waiting":
        return Number.isFinite(claim.retryAt) ? [] : [`I3: ${claim.issue.identifier} waits for ever`];
      case "parked":
        return claim.why !== "" && claim.release !== ""
          ? []
          : [`I3: ${claim.issue.identifier} is parked without a way out`];
    }
  });

/** I5: a run that is no longer live has exactly one ending, recorded in the step in which it left. */
const endingsAreFinal = (before: State, effects: readonly Effect[], after: State): readonly string[] =>
  runningClaims(before).flatMap(({ run }) => {
    const now = after.claims.get(run.issueId);
    const lives = now?.phase === "running" && now.run.id === run.id;
    const endings = effects.filter(
      (e) => e.type === "record" && e.record.type === "run_ended" && e.record.runId === run.id,
    ).length;
    return endings === (lives ? 0 : 1)
      ? []
      : [`I5: ${run.id} has ${endings} endings and ${lives ? "lives" : "is gone"}`];
  });

/** I6. A person's release sets the counters of the limits back; marks of a thread never shrink while it is the thread. */
const tokensOnlyGrow = (before: State, after: State): readonly string[] =>
  runningClaims(after).flatMap((claim) => {
    const was = before.claims.get(claim.issue.id);
    if (was?.phase !== "running" || was.run.id !== claim.run.id) return [];
    const shrunk = claim.tokens.total < was.tokens.total;
    const reset = claim.thread === was.thread && claim.threadTotal.total < was.threadTotal.total;
    return shrunk || reset ? [`I6: the tokens of ${claim.run.id} shrank`] : [];
  });
