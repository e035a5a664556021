/**
 * The whole scheduler: `decide(state, event) → decision`. Pure: time arrives in events, work leaves in decisions.
 * It alone decides who runs, waits, parks and stops. Deadlines that have passed are acted upon after every event, so
 * the alarm only has to ring; it does not matter what for.
 */
import { after, earlier, failure, instant, type Instant, type WorkflowName } from "../domain/domain.ts";
import { Claims } from "./claims.ts";
import { nothing, say, withLane, withState, work } from "./change.ts";
import { removeWorkspace } from "./begin.ts";
import { fill, revalidated } from "./dispatch.ts";
import { apart } from "./doubts.ts";
import type { Decision } from "./effects.ts";
import type { Event, RunEvent, Stamp } from "./events.ts";
import { examine, examined, fitUnseen, nextLook } from "./fit.ts";
import { free, outOfTheWay } from "./freed.ts";
import { gateDeadlines } from "./gates.ts";
import { sayStanding, tryUnderNew } from "./holds.ts";
import { ordered } from "./orders.ts";
import { endPauses, sayPauses } from "./pauses.ts";
import { end, endingOf, overdue, pulse } from "./running.ts";
import { counted, noScan, tellScans } from "./scan-counts.ts";
import { lookPutOff } from "./looks.ts";
import { polled, pollFailed, refreshed, refreshFailed, revalidationFailed, putOff } from "./scan.ts";
import { PersistentMap } from "./persistent-map.ts";
import { usage } from "./spending.ts";
import { checked, checkFailed, launched, opened, turnEnded, turnStarted } from "./turns.ts";
import { boundWaits } from "./restored.ts";
import { settle } from "./settle.ts";
import { keptUntil } from "./shares.ts";
import { sayNoSlots } from "./slots.ts";
import { noSigns } from "./signs.ts";
import type { Lane, Policy, Running, State } from "./state.ts";

/** How often workspaces of issues that were finished behind our back are looked for, besides at the start (SPEC 8.6). */
export const SWEEP_EVERY_MS = 60 * 60_000;

/** The state of a daemon that has never run: what recovery fills from the ledger. */
export const initialState: State = {
  phase: "starting",
  workflows: new Map(),
  claims: Claims.of([]),
  tallies: PersistentMap.of([]),
  holds: new Map(),
  refusals: new Map(),
  pauses: new Map(),
  spent: { day: 0, tokens: 0 },
  runsEver: 0,
  orderDone: 0,
  stopBy: null,
};

/** One step: what is known after it, and what is to be written down, told and done (I4 of docs/ARCHITECTURE.md). */
export function decide(state: State, event: Event): Decision {
  return advance(free(handle(nothing(state), event), outOfTheWay(state, event)), event.at);
}

function handle(sofar: Decision, event: Event): Decision {
  const { at } = event;
  if (isOutdated(sofar.state, event)) return sofar;
  switch (event.type) {
    case "began":
      return began(sofar, at);
    case "woke":
      return sofar;
    case "configured":
      return configured(sofar, event.policy, at);
    case "misconfigured":
      return withLane(sofar, event.workflow, (lane) => ({ ...lane, broken: event.error }));
    case "ordered":
      return ordered(sofar, event);
    case "disk_checked":
      return diskChecked(sofar, event.workflow, event.low, at);
    case "examined":
      return examined(sofar, event);
    case "stop_requested":
      return stopRequested(sofar, event);
    case "polled":
      return polled(sofar, event);
    case "scan_put_off":
      return putOff(sofar, event);
    case "poll_failed":
      return pollFailed(sofar, event);
    case "open_counted":
      return counted(sofar, event);
    case "refreshed":
      return refreshed(sofar, event);
    case "refresh_failed":
      return refreshFailed(sofar, event);
    case "revalidated":
      return revalidated(sofar, event);
    case "revalidation_failed":
      return revalidationFailed(sofar, event);
    case "look_put_off":
      return lookPutOff(sofar, event);
    case "leftovers_found":
      return event.issues
        .filter((issue) => !sofar.state.claims.has(issue.id))
        .reduce((next, issue) => removeWorkspace(next, { workflow: event.workflow, issue }), sofar);
    case "launched":
    case "opened":
    case "turn_started":
    case "turn_ended":
    case "checked":
    case "check_failed":
    case "usage":
    case "pulse":
    case "exited":
      return ofRun(sofar, event);
  }
}

/** Asked before a reload that changed whose issues are meant: it says nothing about those that are meant now. */
const isOutdated = ({ workflows }: State, event: Event): boolean =>
  "workflow" in event && "scope" in event && workflows.get(event.workflow)?.policy.scope !== event.scope;

/** Late news, of a run whose successor may hold the slot, is ignored by comparison of ids (I5). */
function ofRun(sofar: Decision, event: Stamp & RunEvent): Decision {
  const claim = sofar.state.claims.get(event.issueId);
  if (claim?.phase !== "running" || claim.run.id !== event.runId) return sofar;
  const lane = sofar.state.workflows.get(claim.workflow);
  if (event.type === "exited") return settle(sofar, claim, event, lane);
  return lane === undefined ? sofar : ofLiveRun(sofar, claim, event, lane);
}

function ofLiveRun(
  sofar: Decision,
  claim: Running,
  event: Stamp & Exclude<RunEvent, { type: "exited" }>,
  lane: Lane,
): Decision {
  switch (event.type) {
    case "launched":
      return launched(sofar, claim, event);
    case "opened":
      return opened(sofar, claim, event, lane.policy);
    case "turn_started":
      return turnStarted(sofar, claim, event, lane.policy);
    case "turn_ended":
      return turnEnded(sofar, claim, event, lane.policy);
    case "checked":
      return checked(sofar, claim, event, lane);
    case "check_failed":
      return checkFailed(sofar, claim, event, lane.policy);
    case "usage":
      return usage(sofar, claim, event, lane.policy);
    case "pulse":
      return pulse(sofar, claim, event, lane.policy);
  }
}

/** What keeps things from starting was perhaps ordered, or found, long ago: a start says so (a drain has said so itself). */
function began(sofar: Decision, at: Instant): Decision {
  if (sofar.state.phase !== "starting") return sofar;
  return sayPauses(sayStanding(withState(sofar, { phase: "serving" }), at), at);
}

/** New settings count for future decisions; a mended file takes work again at once. */
function configured(sofar: Decision, policy: Policy, at: Instant): Decision {
  const { state } = sofar;
  const before = state.workflows.get(policy.workflow);
  const kept = before === undefined || before.policy.scope === policy.scope ? before : rescoped(before, at);
  const lane: Lane =
    kept === undefined
      ? {
          policy,
          broken: null,
          hold: state.holds.get(policy.workflow) ?? null,
          signs: noSigns,
          diskLow: null,
          fit: fitUnseen(policy, at),
          pollAt: at,
          pace: null,
          polling: false,
          polls: 0,
          sweepAt: at,
          queue: [],
          remembered: state.refusals.get(policy.workflow) ?? new Map(),
          refusalsKept: true,
          ready: new Set(),
          revalidating: [],
          doubts: new Map(),
          failedLooks: 0,
          revalidateAt: at,
          lookLater: null,
          lookingSince: null,
          served: 0,
          limitSaidAt: null,
          verified: 0,
          scan: noScan,
          outages: new Map(),
        }
      : {
          ...kept,
          policy,
          broken: null,
          ...(kept.policy.pollIntervalMs !== policy.pollIntervalMs && {
            scan: { ...kept.scan, paceSince: at },
          }),
          fit: kept.policy.codexProgram === policy.codexProgram ? kept.fit : fitUnseen(policy, at),
          pollAt: earlier(kept.pollAt, after(at, policy.pollIntervalMs)) ?? at,
        };
  const workflows = new Map(state.workflows).set(policy.workflow, lane);
  const known = withState(sofar, { workflows });
  return tryUnderNew(before === undefined ? boundWaits(known, policy, at) : known, policy, at);
}

/**
 * Other issues are meant, or they are elsewhere: nothing of the old queue starts, nobody waits for what was asked about it,
 * and what stood in the way of the old key or place is not in the way of the new.
 */
const rescoped = (lane: Lane, at: Instant): Lane => ({
  ...lane,
  queue: [],
  remembered: new Map(),
  refusalsKept: false,
  ready: new Set(),
  lookingSince: null,
  polling: false,
  pollAt: at,
  sweepAt: at,
  revalidating: [],
  doubts: new Map(),
  failedLooks: 0,
  revalidateAt: at,
  lookLater: null,
  limitSaidAt: null,
  outages: new Map(),
});

/**
 * The first request drains: running turns are interrupted, nothing starts. The second does not wait (C6 of
 * docs/RELIABILITY.md).
 */
function stopRequested(sofar: Decision, event: Extract<Event, { type: "stop_requested" }>): Decision {
  const { state } = sofar;
  if (state.phase === "stopped") return sofar;
  if (event.force) return exit(sofar, false);
  if (state.phase === "stopping") return sofar;
  const grace = Math.max(0, ...[...state.workflows.values()].map((lane) => lane.policy.graceMs));
  const stopping = withState(sofar, { phase: "stopping", stopBy: after(event.at, grace) });
  const said = say(stopping, event.at, {}, { type: "daemon_stopping", why: event.why });
  const why = failure("shutdown", "Baton is stopping; the thread will be resumed at the next start.");
  return [...state.claims.running.values()].reduce(
    (next, claim) => end(next, claim, endingOf(why), event.at),
    said,
  );
}

/** Whatever is due at this instant; and free slots are filled, whatever freed them. */
function advance(sofar: Decision, at: Instant): Decision {
  if (sofar.state.phase === "stopping") return leave(watchRuns(sofar, at), at);
  if (sofar.state.phase !== "serving" && sofar.state.phase !== "draining") return sofar;
  const watched = endPauses(watchRuns(sofar, at), at);
  const lanes = [...watched.state.workflows.values()];
  const ticked = lanes.reduce((next, lane) => tick(next, lane, at), watched);
  if (sofar.state.phase === "draining") return drained(ticked);
  return tellScans(sayNoSlots(fill(ticked, at), at), at);
}

/** After every event, and mostly nothing is due: what is not costs no more than the look at it. */
function watchRuns(sofar: Decision, at: Instant): Decision {
  let next = sofar;
  for (const claim of sofar.state.claims.running.values())
    next = overdue(next, claim, next.state.workflows.get(claim.workflow)?.policy, at);
  return next;
}

function tick(sofar: Decision, lane: Lane, at: Instant): Decision {
  const { phase } = sofar.state;
  return sweep(poll(phase === "serving" ? examine(sofar, lane, at) : sofar, lane, at), lane, at);
}

/** Scan and reconcile (SPEC 8.1). One scan at a time: a slow tracker is not asked twice. */
function poll(sofar: Decision, lane: Lane, at: Instant): Decision {
  const { policy, polling, pollAt } = lane;
  if (polling || pollAt > at) return sofar;
  const { workflow } = policy;
  const running = [...sofar.state.claims.running.values()]
    .filter((claim) => claim.workflow === workflow)
    .map((claim) => claim.issue.id);
  const next = after(at, policy.pollIntervalMs);
  return work(
    withLane(sofar, workflow, (lane) => ({ ...lane, polling: true, pollAt: next })),
    { type: "poll", workflow, scope: policy.scope, running, apart: apart(lane, running) },
  );
}

function sweep(sofar: Decision, { policy, sweepAt, limitSaidAt }: Lane, at: Instant): Decision {
  // It can wait for a tracker that takes requests.
  if (sweepAt > at || limitSaidAt !== null) return sofar;
  const { workflow } = policy;
  return work(
    withLane(sofar, workflow, (lane) => ({ ...lane, sweepAt: after(at, SWEEP_EVERY_MS) })),
    { type: "sweep", workflow, scope: policy.scope },
  );
}

/** Gone when the last run has come to its end by itself. */
const drained = (sofar: Decision): Decision =>
  sofar.state.claims.running.size > 0 ? sofar : exit(sofar, true);

const exit = (sofar: Decision, clean: boolean): Decision =>
  work(withState(sofar, { phase: "stopped" }), { type: "exit", clean });

function diskChecked(sofar: Decision, workflow: WorkflowName, low: string | null, at: Instant): Decision {
  const before = sofar.state.workflows.get(workflow)?.diskLow ?? null;
  const next = withLane(sofar, workflow, (lane) => ({ ...lane, diskLow: low }));
  if ((before === null) === (low === null)) return next;
  return say(next, at, { workflow }, low === null ? { type: "disk_ok" } : { type: "disk_low", why: low });
}

/** While stopping: gone when the last run is, or when patience ends. */
function leave(sofar: Decision, at: Instant): Decision {
  const { state } = sofar;
  const clean = state.claims.running.size === 0;
  if (!clean && (state.stopBy === null || state.stopBy > at)) return sofar;
  return exit(sofar, clean);
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
  for (const claim of state.claims.running.values()) {
    if (claim.step !== "ending") deadlinesOfRun(claim, due);
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
  due(state.claims.nextDue(now));
  for (const lane of state.workflows.values()) {
    for (const { again } of lane.doubts.values()) due(again);
    if (!lane.polling) due(lane.pollAt);
    due(lane.sweepAt);
    due(lane.revalidateAt);
    due(nextLook(lane));
    due(lane.fit.waitUntil);
    if (state.workflows.size > 1) due(keptUntil(lane));
  }
  for (const deadline of gateDeadlines(state, now)) due(deadline);
}
