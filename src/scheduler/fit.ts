/**
 * Whether the Codex that a workflow's command starts has what is needed of it. It is looked at when the command comes into
 * force, and now and then after that, for it may be replaced. What it lacks holds the workflow; whether that is over is
 * found out by another look, so that no run is spent on it.
 */
import { after, type Instant } from "../domain/domain.ts";
import { say, withHold, withLane, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Event } from "./events.ts";
import { isUnfit } from "./gates.ts";
import { endHold, holdUntil, settingsOf } from "./holds.ts";
import type { Fit, Hold, Lane, Policy } from "./state.ts";

/** Its version is asked for, which costs a tenth of a second; nobody replaces a program more often. */
const LOOK_EVERY_MS = 10 * 60_000;

/** A look takes a fifth of a second; what hangs is not waited for by tickets. */
export const FIT_WAIT_MS = 10_000;

/** Of a command that comes into force. */
export const fitUnseen = ({ codexProgram }: Policy, at: Instant): Fit =>
  codexProgram === null
    ? { lookAt: null, looking: false, waitUntil: null }
    : { lookAt: at, looking: false, waitUntil: after(at, FIT_WAIT_MS) };

/** When it is looked at next; null = a look is under way, or nothing new would be seen. */
export function nextLook({ policy, fit, hold }: Lane): Instant | null {
  if (policy.codexProgram === null || fit.looking) return null;
  // As any hold of its kind it is tried again sooner, and when somebody says so.
  return hold !== null && isUnfit(hold) && (fit.lookAt === null || hold.until < fit.lookAt)
    ? hold.until
    : fit.lookAt;
}

/** Asks for a look whose time has come. */
export function examine(sofar: Decision, lane: Lane, at: Instant): Decision {
  const { workflow, codexProgram } = lane.policy;
  const due = nextLook(lane);
  if (codexProgram === null || due === null || due > at) return sofar;
  const looking = withLane(sofar, workflow, (one) => ({ ...one, fit: { ...one.fit, looking: true } }));
  return work(looking, { type: "examine", workflow, program: codexProgram });
}

/** What a look has found; of another command than the one in force it says nothing. */
export function examined(
  sofar: Decision,
  { workflow, program, lacks, again, at }: Extract<Event, { type: "examined" }>,
): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined || lane.policy.codexProgram !== program) return sofar;
  const fit: Fit = { lookAt: again ? after(at, LOOK_EVERY_MS) : null, looking: false, waitUntil: null };
  const seen = withLane(sofar, workflow, (one) => ({ ...one, fit }));
  const before = lane.hold !== null && isUnfit(lane.hold) ? lane.hold : null;
  if (lacks === null) return before === null ? seen : endHold(seen, workflow, at);
  const next = holdFor(before, lacks, settingsOf(lane.policy, "installation"), at);
  const held = withHold(seen, workflow, next);
  // Every look says the same: once is enough.
  if (before?.why === next.why) return held;
  const { cause, why, remedy } = next;
  return say(held, at, { workflow }, { type: "held", cause, why, remedy, until: null });
}

/** It takes the place of any other hold: no run could find out whether that one is over. */
function holdFor(before: Hold | null, { why, remedy }: Lacks, under: string, at: Instant): Hold {
  const refusals = before?.refusals ?? 0;
  return {
    cause: "installation",
    kind: "codex_unfit",
    overBy: "opened",
    why,
    remedy,
    since: before?.since ?? at,
    until: holdUntil(at, refusals, "codex_unfit"),
    refusals: refusals + 1,
    trial: null,
    under,
  };
}

type Lacks = NonNullable<Extract<Event, { type: "examined" }>["lacks"]>;
