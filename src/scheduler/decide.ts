/**
 * The whole scheduler: `decide(state, event) → [state, effects]`. Pure: time arrives in events, work leaves as effects.
 * It alone decides who runs, waits, parks and stops. Deadlines that have passed are acted upon after every event, so
 * the alarm only has to ring; it does not matter what for.
 */
import { failure } from "../domain/failure.ts";
import { after, earlier, instant, type Instant } from "../domain/time.ts";
import type { WorkflowName } from "../domain/run.ts";
import { say, withBoard, work } from "./change.ts";
import { removeWorkspace } from "./begin.ts";
import { fill, revalidated } from "./dispatch.ts";
import type { Decision } from "./effects.ts";
import { runningClaims } from "./eligible.ts";
import type { Event, RunEvent } from "./events.ts";
import { gateDeadlines } from "./gates.ts";
import { endPauses, order } from "./orders.ts";
import { end, endingOf, overdue, pulse } from "./running.ts";
import { polled, pollFailed, refreshed, refreshFailed, revalidationFailed } from "./scan.ts";
import { usage } from "./spending.ts";
import { checkFailed, checked, launched, opened, turnEnded, turnStarted } from "./turns.ts";
import { boundWaits } from "./restored.ts";
import { settle } from "./settle.ts";
import type { Board, Claim, Policy, Running, State } from "./state.ts";

/** How often workspaces of issues that were finished behind our back are looked for, besides at the start (SPEC 8.6). */
export const SWEEP_EVERY_MS = 60 * 60_000;

/** The state of a daemon that has never run: what recovery fills from the ledger. */
export const initialState: State = {
  phase: "starting",
  workflows: new Map(),
  claims: new Map(),
  tallies: new Map(),
  holds: new Map(),
  pauses: new Map(),
  spent: { day: 0, tokens: 0 },
  runsEver: 0,
  orderDone: 0,
  stopBy: null,
};

/** One step. Effects are in order: records and facts are committed before the rest begins (I4). */
export function decide(state: State, event: Event): Decision {
  return advance(handle([state, []], event), event.at);
}

function handle(d: Decision, event: Event): Decision {
  const { at } = event;
  switch (event.type) {
    case "began":
      return d[0].phase === "starting" ? [{ ...d[0], phase: "serving" }, d[1]] : d;
    case "woke":
      return d;
    case "configured":
      return configured(d, event.policy, at);
    case "misconfigured":
      return withBoard(d, event.workflow, (b) => ({ ...b, broken: event.error }));
    case "paused":
    case "resumed":
    case "drain_ordered":
    case "release_ordered":
      return order(d, event);
    case "disk_checked":
      return diskChecked(d, event.workflow, event.low, at);
    case "stop_requested":
      return stopRequested(d, event);
    case "polled":
      return polled(d, event);
    case "poll_failed":
      return pollFailed(d, event);
    case "refreshed":
      return refreshed(d, event);
    case "refresh_failed":
      return refreshFailed(d, event);
    case "revalidated":
      return revalidated(d, event);
    case "revalidation_failed":
      return revalidationFailed(d, event);
    case "leftovers_found":
      return event.issues
        .filter((issue) => !d[0].claims.has(issue.id))
        .reduce((next, { id, identifier }) => removeLeftover(next, event.workflow, id, identifier), d);
    case "launched":
    case "opened":
    case "turn_started":
    case "turn_ended":
    case "checked":
    case "check_failed":
    case "usage":
    case "pulse":
    case "exited":
      return ofRun(d, event);
  }
}

/** Late news, of a run whose successor may hold the slot, is ignored by comparison of ids (I5). */
function ofRun(d: Decision, event: RunEvent & { readonly at: Instant }): Decision {
  const claim = d[0].claims.get(event.issueId);
  if (claim?.phase !== "running" || claim.run.id !== event.runId) return d;
  const board = d[0].workflows.get(claim.workflow);
  if (event.type === "exited") return settle(d, claim, event, board);
  return board === undefined ? d : ofLiveRun(d, claim, event, board);
}

function ofLiveRun(
  d: Decision,
  claim: Running,
  event: Exclude<RunEvent, { type: "exited" }> & { readonly at: Instant },
  board: Board,
): Decision {
  switch (event.type) {
    case "launched":
      return launched(d, claim, event);
    case "opened":
      return opened(d, claim, event, board.policy);
    case "turn_started":
      return turnStarted(d, claim, event, board.policy);
    case "turn_ended":
      return turnEnded(d, claim, event);
    case "checked":
      return checked(d, claim, event.status, board, event.at);
    case "check_failed":
      return checkFailed(d, claim, event.failure, event.at);
    case "usage":
      return usage(d, claim, event, board.policy);
    case "pulse":
      return pulse(d, claim, event, board.policy);
  }
}

/** New settings count for future decisions; a mended file takes work again at once. */
function configured(d: Decision, policy: Policy, at: Instant): Decision {
  const [state, effects] = d;
  const before = state.workflows.get(policy.workflow);
  const board: Board =
    before === undefined
      ? {
          policy,
          broken: null,
          hold: state.holds.get(policy.workflow) ?? null,
          diskLow: null,
          pollAt: at,
          polling: false,
          sweepAt: at,
          queue: [],
          checking: [],
          checkAt: at,
          limitSaidAt: null,
          verified: 0,
        }
      : {
          ...before,
          policy,
          broken: null,
          pollAt: earlier(before.pollAt, after(at, policy.pollIntervalMs)) ?? at,
        };
  const workflows = new Map(state.workflows).set(policy.workflow, board);
  const known: Decision = [{ ...state, workflows }, effects];
  return before === undefined ? boundWaits(known, policy, at) : known;
}

function removeLeftover(
  d: Decision,
  workflow: WorkflowName,
  id: Claim["issue"]["id"],
  identifier: string,
): Decision {
  // Only id and identifier matter for a removal; a tally is touched only where there is one.
  if (d[0].tallies.has(id))
    return removeWorkspace(d, { workflow, issue: { id, identifier } as Claim["issue"] });
  return work(d, { type: "remove", workflow, issueId: id, identifier });
}

/** The first request drains: running turns are interrupted, nothing starts. The second does not wait (C6). */
function stopRequested(d: Decision, event: Extract<Event, { type: "stop_requested" }>): Decision {
  const [state, effects] = d;
  if (state.phase === "stopped") return d;
  if (event.force) return work([{ ...state, phase: "stopped" }, effects], { type: "exit", clean: false });
  if (state.phase === "stopping") return d;
  const grace = Math.max(0, ...[...state.workflows.values()].map((board) => board.policy.graceMs));
  const stopping: State = { ...state, phase: "stopping", stopBy: after(event.at, grace) };
  const said = say([stopping, effects], event.at, {}, { type: "daemon_stopping", why: event.why });
  const why = failure("shutdown", "Baton is stopping; the thread will be resumed at the next start.");
  return runningClaims(state).reduce((next, claim) => end(next, claim, endingOf(why), event.at), said);
}

/** Whatever is due at this instant; and free slots are filled, whatever freed them. */
function advance(d: Decision, at: Instant): Decision {
  if (d[0].phase === "stopping") return leave(watchRuns(d, at), at);
  if (d[0].phase !== "serving" && d[0].phase !== "draining") return d;
  const watched = endPauses(watchRuns(d, at), at);
  const boards = [...watched[0].workflows.values()];
  const ticked = boards.reduce((next, board) => tick(next, board, at), watched);
  return d[0].phase === "draining" ? drained(ticked) : fill(ticked, at);
}

const watchRuns = (d: Decision, at: Instant): Decision =>
  runningClaims(d[0]).reduce(
    (next, claim) => overdue(next, claim, next[0].workflows.get(claim.workflow)?.policy, at),
    d,
  );

function tick(d: Decision, board: Board, at: Instant): Decision {
  return sweep(poll(d, board, at), board, at);
}

/** Reconcile and scan (SPEC 8.1). One scan at a time: a slow tracker is not asked twice. */
function poll(d: Decision, { policy, polling, pollAt }: Board, at: Instant): Decision {
  if (polling || pollAt > at) return d;
  const { workflow } = policy;
  const running = runningClaims(d[0])
    .filter((claim) => claim.workflow === workflow)
    .map((claim) => claim.issue.id);
  const next = after(at, policy.pollIntervalMs);
  return work(
    withBoard(d, workflow, (b) => ({ ...b, polling: true, pollAt: next })),
    { type: "poll", workflow, running },
  );
}

function sweep(d: Decision, { policy, sweepAt, limitSaidAt }: Board, at: Instant): Decision {
  // It can wait for a tracker that takes requests.
  if (sweepAt > at || limitSaidAt !== null) return d;
  const { workflow } = policy;
  return work(
    withBoard(d, workflow, (b) => ({ ...b, sweepAt: after(at, SWEEP_EVERY_MS) })),
    { type: "sweep", workflow },
  );
}

/** Gone when the last run has come to its end by itself. */
function drained([state, effects]: Decision): Decision {
  if (runningClaims(state).length > 0) return [state, effects];
  return work([{ ...state, phase: "stopped" }, effects], { type: "exit", clean: true });
}

function diskChecked(d: Decision, workflow: WorkflowName, low: string | null, at: Instant): Decision {
  const before = d[0].workflows.get(workflow)?.diskLow ?? null;
  const next = withBoard(d, workflow, (b) => ({ ...b, diskLow: low }));
  if ((before === null) === (low === null)) return next;
  return say(next, at, { workflow }, low === null ? { type: "disk_ok" } : { type: "disk_low", why: low });
}

/** While stopping: gone when the last run is, or when patience ends. */
function leave(d: Decision, at: Instant): Decision {
  const [state, effects] = d;
  const clean = runningClaims(state).length === 0;
  if (!clean && (state.stopBy === null || state.stopBy > at)) return d;
  return work([{ ...state, phase: "stopped" }, effects], { type: "exit", clean });
}

/**
 * When the alarm has to ring next; null = nothing to wait for. What is past has been acted upon, or, like a retry
 * without a slot, stands in line for news that comes by itself: an alarm for it would only ring in circles.
 */
export function nextDeadline(state: State, now: Instant): Instant | null {
  if (state.phase === "starting" || state.phase === "stopped") return null;
  // After every step: a list of all deadlines, made to be thrown away, would be the dearest part of most of them.
  let next = Number.POSITIVE_INFINITY;
  const due = (at: Instant | null): void => {
    if (at !== null && at > now && at < next) next = at;
  };
  for (const claim of state.claims.values()) {
    if (claim.phase === "running" && claim.step !== "ending") deadlinesOfRun(claim, due);
    else if (claim.phase === "waiting" && state.phase !== "stopping") due(claim.retryAt);
  }
  if (state.phase === "stopping") due(state.stopBy);
  else deadlinesOfWork(state, now, due);
  return next === Number.POSITIVE_INFINITY ? null : instant(next);
}

type Due = (at: Instant | null) => void;

function deadlinesOfRun({ endBy, pulseAt, leave }: Running, due: Due): void {
  due(endBy);
  due(pulseAt);
  if (leave !== null) due(leave.by);
}

function deadlinesOfWork(state: State, now: Instant, due: Due): void {
  for (const { polling, pollAt, sweepAt, checkAt } of state.workflows.values()) {
    if (!polling) due(pollAt);
    due(sweepAt);
    due(checkAt);
  }
  for (const deadline of gateDeadlines(state, now)) due(deadline);
}
