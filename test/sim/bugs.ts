/**
 * Copies of `decide` that are broken on purpose, each in one way in which a scheduler can be wrong. The simulation has to
 * notice every one of them: a check that cannot fail proves nothing.
 */
import { failureScope } from "../../src/domain/failure.ts";
import { after as later } from "../../src/domain/time.ts";
import type { LedgerRecord } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import type { Board, Claim } from "../../src/scheduler/state.ts";
import { PAST_BUGS } from "./past-bugs.ts";
import {
  changeClaim,
  changeTallies,
  dropClaims,
  dropRecords,
  forgetMarks,
  onRecords,
  underOther,
  waitUntil,
  withBoards,
  withoutRecords,
  type Decide,
} from "./plant.ts";

/** Of the claims of a workflow, those that its scan does not list. */
const leftOut =
  ({ workflow, candidates }: Extract<Event, { type: "polled" }>) =>
  (claim: Claim): boolean =>
    claim.workflow === workflow && !candidates.some(({ id }) => id === claim.issue.id);

const MADE_UP = {
  "an issue gets a second agent": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    return [next, [...effects, ...effects.filter(({ type }) => type === "start")]];
  },
  "one run more than there are slots": underOther((policy) => ({ agentsMax: policy.agentsMax + 1 })),
  "caps by state are ignored": underOther(() => ({ agentsMaxByState: new Map() })),
  "a run starts that is not recorded": withoutRecords(({ type }) => type === "run_started"),
  "a claim that waits is not recorded": withoutRecords(
    (record) => record.type === "claim" && record.claim.phase === "waiting",
  ),
  "counters are not recorded at the end of a run": withoutRecords(
    (record, event) => record.type === "tally" && event.type === "exited",
  ),
  "a pause is not recorded": withoutRecords(({ type }) => type === "pause"),
  "an order is not marked as done": withoutRecords(({ type }) => type === "command_done"),
  "usage is not recorded": withoutRecords(({ type }) => type === "usage"),
  "an ending is recorded twice": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    return [
      next,
      [...effects, ...effects.filter((e) => e.type === "record" && e.record.type === "run_ended")],
    ];
  },
  "the late end of an old run ends its successor": (real) => (state, event) => {
    const claim = event.type === "exited" ? state.claims.get(event.issueId) : undefined;
    if (event.type !== "exited" || claim?.phase !== "running") return real(state, event);
    return real(state, { ...event, runId: claim.run.id });
  },
  "the end of a run is not heard": (real) => (state, event) =>
    event.type === "exited" && event.failure?.kind === "port_exit" ? [state, []] : real(state, event),
  "totals are added up": (real) => (state, event) =>
    event.type === "usage" ? real(changeClaim(state, event.issueId, forgetMarks), event) : real(state, event),
  "a finished issue's run goes on": (real) => (state, event) =>
    event.type === "refreshed" ? real(state, { ...event, ids: [] }) : real(state, event),
  "a run that has to leave is not stopped": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    return [next, effects.filter((e) => e.type !== "stop" || e.why?.kind !== "no_longer_eligible")];
  },
  "a pause stops nothing": (real) => (state, event) => {
    const [next, effects] = real(
      event.type === "paused" || event.type === "resumed" ? state : { ...state, pauses: new Map() },
      event,
    );
    return [
      next.pauses.size === 0 && event.type !== "resumed" ? { ...next, pauses: state.pauses } : next,
      effects,
    ];
  },
  "a hold stops nothing": (real) => (state, event) => {
    const held = (board: Board) => state.workflows.get(board.policy.workflow)?.hold ?? null;
    const [next, effects] = real(
      withBoards(state, (board) => ({ ...board, hold: null })),
      event,
    );
    return [withBoards(next, (board) => ({ ...board, hold: board.hold ?? held(board) })), effects];
  },
  "a refusal by the provider holds nothing": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    if (event.type !== "exited") return [next, effects];
    const held = (board: Board) => state.workflows.get(board.policy.workflow)?.hold ?? null;
    return [
      withBoards(next, (board) => ({ ...board, hold: held(board) })),
      dropRecords(effects, ({ type }) => type === "hold"),
    ];
  },
  "a refusal by the provider counts as a run": (real) => (state, event) => {
    const refused =
      event.type === "exited" && event.failure !== null && failureScope(event.failure.kind) === "provider";
    return refused
      ? changeTallies(real(state, event), (tally) => ({ ...tally, runs: tally.runs + 1 }))
      : real(state, event);
  },
  "a missing slot counts as an attempt": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    const missed = (record: LedgerRecord): LedgerRecord =>
      record.type === "claim" && record.claim.phase === "waiting"
        ? { ...record, claim: { ...record.claim, attempt: record.claim.attempt + 1 } }
        : record;
    return event.type === "revalidated" ? [next, onRecords(effects, missed)] : [next, effects];
  },
  "a reload lifts parks": (real) => (state, event) => {
    const decision = real(state, event);
    return event.type === "configured" ? dropClaims(decision, "parked", () => true) : decision;
  },
  "a park ends when a scan does not list it": (real) => (state, event) => {
    const decision = real(state, event);
    if (event.type !== "polled") return decision;
    return dropClaims(decision, "parked", leftOut(event));
  },
  "a wait ends when a scan does not list the issue": (real) => (state, event) => {
    const decision = real(state, event);
    return event.type === "polled" ? dropClaims(decision, "waiting", leftOut(event)) : decision;
  },
  "a release lifts nothing": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    if (event.type !== "release_ordered") return [next, effects];
    return [
      { ...next, claims: state.claims },
      effects.filter((e) => e.type !== "record" || e.record.type !== "unclaim"),
    ];
  },
  "a retry comes at once": (real) => (state, event) => waitUntil(real(state, event), event, event.at),
  "a retry never comes": (real) => (state, event) =>
    waitUntil(real(state, event), event, later(event.at, 1_000 * 86_400_000)),
  "one run too many": underOther((policy) => ({ runsMax: policy.runsMax + 1 })),
  "one failure too many": underOther((policy) => ({ failuresMax: policy.failuresMax + 1 })),
  "one turn too many": underOther((policy) => ({ turnsMax: policy.turnsMax + 1 })),
  "an issue's tokens have no limit": underOther(() => ({ tokensMax: Number.MAX_SAFE_INTEGER })),
  "the day has no limit": underOther(() => ({ tokensPerDayMax: null })),
  "silence is never noticed": underOther(() => ({ silenceMaxMs: 0 })),
  "a thread is not resumed": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    return [next, effects.map((effect) => (effect.type === "start" ? { ...effect, resume: null } : effect))];
  },
  "a blocked issue starts": (real) => (state, event) =>
    event.type === "revalidated"
      ? real(state, { ...event, issues: event.issues.map((issue) => ({ ...issue, blockedBy: [] })) })
      : real(state, event),
  "a failed scan is the last one": (real) => (state, event) =>
    event.type === "poll_failed" ? [state, []] : real(state, event),
  "a failed look is the last one": (real) => (state, event) =>
    event.type === "revalidation_failed" ? [state, []] : real(state, event),
  "a failed look is repeated at once": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    if (event.type !== "revalidation_failed") return [next, effects];
    const due = withBoards(next, (board) => ({ ...board, checkAt: event.at }));
    const [again, more] = real(due, { type: "woke", at: event.at });
    return [again, [...effects, ...more]];
  },
  "a broken file stops nothing": (real) => (state, event) =>
    event.type === "misconfigured" ? [state, []] : real(state, event),
  "a full disk of workspaces stops nothing": (real) => (state, event) =>
    event.type === "disk_checked" ? [state, []] : real(state, event),
  "a request to stop is not heard": (real) => (state, event) =>
    event.type === "stop_requested" && !event.force ? [state, []] : real(state, event),
  "a drain takes new work": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    return event.type === "drain_ordered" ? [{ ...next, phase: state.phase }, effects] : [next, effects];
  },
  "a workspace goes under its agent": (real) => (state, event) => {
    const [next, effects] = real(state, event);
    if (event.type !== "leftovers_found") return [next, effects];
    const { workflow } = event;
    const removals = event.issues.map(({ id, identifier }) => ({
      type: "remove" as const,
      workflow,
      issueId: id,
      identifier,
    }));
    return [next, [...effects, ...removals]];
  },
} satisfies Readonly<Record<string, (real: Decide) => Decide>>;

/** By what is wrong: bugs that somebody thought of, and those that were there. */
export const BUGS = { ...MADE_UP, ...PAST_BUGS };

export type BugName = keyof typeof BUGS;
