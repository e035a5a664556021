/**
 * What holds after every step: I1 to I6 and I8 of docs/ARCHITECTURE.md, as far as one step can show them. Checked by tests
 * and simulation, and by the loop in production, where a violation is a bug that must stop the daemon rather than start a
 * second agent.
 */
import { EVERYTHING, type Instant, type Run, stateKey } from "../domain/domain.ts";
import type { Decision, LedgerRecord, Work } from "./effects.ts";
import { sharedSlots } from "./eligible.ts";
import { dayLimit, isUnfit, spentOn } from "./gates.ts";
import type { Claim, Lane, Running, State } from "./state.ts";

/**
 * What is wrong with this step, in words; empty = nothing. `looked` at what was touched: the rest
 * is taken to be as well as before, so that the price of a step does not grow with all there is.
 */
export function violations(
  before: State,
  { state: after, records, work }: Decision,
  looked: "at all" | "at what was touched" = "at all",
): readonly string[] {
  const started = work.filter((task): task is Start => task.type === "start");
  const changed = looked === "at all" ? [...after.claims.values()] : after.claims.newSince(before.claims);
  return [
    ...oneRunEach(before, changed, after),
    ...startsAreNew(before, records, started, after),
    ...startsAreRecorded(records, started),
    ...startsKeepCaps(started, after),
    ...startsAreAllowed(started, after),
    ...turnsAreAllowed(work, after),
    ...phasesAreWhole(changed),
    ...endingsAreFinal(before, records, after),
    ...tokensOnlyGrow(before, changed),
  ];
}

type Start = Extract<Work, { type: "start" }>;

/** I1. Only a claim that has another run than before can have one that is live already. */
function oneRunEach(before: State, changed: readonly Claim[], after: State): readonly string[] {
  const isNew = (claim: Claim): boolean => claim.phase === "running" && !isLive(before, claim.run);
  if (!changed.some(isNew)) return [];
  const ids = [...after.claims.running.values()].map((claim) => claim.run.id);
  return new Set(ids).size === ids.length ? [] : ["I1: one run is live under two issues"];
}

const isLive = (state: State, run: Run): boolean => state.claims.running.get(run.issueId)?.run.id === run.id;

const startsAreNew = (
  before: State,
  records: readonly LedgerRecord[],
  started: readonly Start[],
  after: State,
): readonly string[] =>
  started.flatMap(({ run }) => {
    const was = before.claims.get(run.issueId);
    const is = after.claims.get(run.issueId);
    // A run may end and its successor begin in one step; then the old run's ending is among the records.
    const lives = was?.phase === "running" && !records.some((one) => isEndingOf(one, was.run));
    return [
      ...(lives ? [`I1: ${run.id} starts while ${was.run.id} lives`] : []),
      ...(is?.phase === "running" && is.run.id === run.id ? [] : [`I1: ${run.id} starts without a claim`]),
    ];
  });

const isEndingOf = (record: LedgerRecord, { id }: Run): boolean =>
  record.type === "run_ended" && record.runId === id;

/** I4: the claim and the run are written in the step that starts them; the loop does so before anything is begun. */
const startsAreRecorded = (records: readonly LedgerRecord[], started: readonly Start[]): readonly string[] =>
  started.flatMap(({ run }) => {
    const begun = records.some((record) => record.type === "run_started" && record.run.id === run.id);
    const claimed = records.some(
      (record) => record.type === "claim" && record.claim.issue.id === run.issueId,
    );
    return begun && claimed ? [] : [`I4: ${run.id} starts before it is recorded`];
  });

/** I2: a lowered limit stops nobody, so caps are held against what starts. */
function startsKeepCaps(started: readonly Start[], after: State): readonly string[] {
  if (started.length === 0) return [];
  const running = [...after.claims.running.values()];
  const over = running.length > sharedSlots(after) ? ["I2: more runs than shared slots"] : [];
  const lanes = [...new Set(started.map(({ run }) => run.workflow))]
    .map((name) => after.workflows.get(name))
    .filter((lane): lane is Lane => lane !== undefined);
  return [...over, ...lanes.flatMap((lane) => overOwnCaps(lane, running, started))];
}

function overOwnCaps(
  { policy }: Lane,
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

/** I8: nothing starts while a gate is shut. */
const startsAreAllowed = (started: readonly Start[], after: State): readonly string[] =>
  started.flatMap(({ run }) =>
    shutFor(run, run.startedAt, after).map((why) => `I8: ${run.id} starts while ${why}`),
  );

/** I8: no further turn begins while a gate is shut that people have shut. */
const turnsAreAllowed = (work: readonly Work[], after: State): readonly string[] =>
  work.flatMap((task) => {
    if (task.type !== "turn") return [];
    const claim = after.claims.running.get(task.issue.id);
    if (claim?.run.id !== task.runId) return [`I8: a turn of ${task.runId} begins without a claim`];
    // The first turn of a run belongs to its start, which was allowed; what has changed since counts for the next one.
    return task.turn === 1 ? [] : turnShut(claim, after);
  });

function shutFor(run: Run, at: Instant, after: State): readonly string[] {
  const lane = after.workflows.get(run.workflow);
  if (lane === undefined) return ["nobody knows its workflow"];
  const { hold } = lane;
  return [
    ...(after.phase === "serving" ? [] : [`Baton is ${after.phase}`]),
    ...(lane.broken === null ? [] : ["its workflow is broken"]),
    ...(lane.diskLow === null ? [] : ["the disk takes no work"]),
    ...(hold === null || (!isUnfit(hold) && hold.until <= at && hold.trial === run.id)
      ? []
      : ["the provider takes no work"]),
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
const phasesAreWhole = (changed: readonly Claim[]): readonly string[] =>
  changed.flatMap((claim) => {
    switch (claim.phase) {
      case "running":
        return claim.step === "ending" && claim.ending === null
          ? [`I3: ${claim.run.id} is ending for no reason`]
          : [];
      case "waiting":
        return Number.isFinite(claim.retryAt) ? [] : [`I3: ${claim.issue.identifier} waits for ever`];
      case "parked":
        return claim.why !== "" && claim.wayOut !== ""
          ? []
          : [`I3: ${claim.issue.identifier} is parked without a way out`];
    }
  });

/** I5: a run that is no longer live has exactly one ending, recorded in the step in which it left. */
function endingsAreFinal(before: State, records: readonly LedgerRecord[], after: State): readonly string[] {
  const ended = records.filter(({ type }) => type === "run_ended");
  if (ended.length === 0 && before.claims.running === after.claims.running) return [];
  return [...before.claims.running.values()].flatMap(({ run }) => {
    const lives = isLive(after, run);
    const endings = ended.filter((one) => isEndingOf(one, run)).length;
    return endings === (lives ? 0 : 1)
      ? []
      : [`I5: ${run.id} has ${endings} endings and ${lives ? "lives" : "is gone"}`];
  });
}

/** I6. A person's release sets the counters of the limits back; marks of a thread never shrink while it is the thread. */
const tokensOnlyGrow = (before: State, changed: readonly Claim[]): readonly string[] =>
  changed.flatMap((claim) => {
    const was = before.claims.get(claim.issue.id);
    if (claim.phase !== "running" || was?.phase !== "running" || was.run.id !== claim.run.id) return [];
    const shrunk = claim.tokens.total < was.tokens.total;
    const own = claim.thread === was.thread && claim.threadTotal.total < was.threadTotal.total;
    const child = was.children?.some(({ thread, total }) => {
      const mark = claim.children?.find((one) => one.thread === thread);
      return mark === undefined || mark.total.total < total.total;
    });
    const reset = own || child === true;
    return shrunk || reset ? [`I6: the tokens of ${claim.run.id} shrank`] : [];
  });
