/** A live run from its process to its last turn. What follows an ended run is decided in settle.ts. */
import { type Ending, failure, type Instant, noTokens, type Told } from "../domain/domain.ts";
import { about, count, record, say, tallyOf, update, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { unroutable } from "./eligible.ts";
import type { NewsOf } from "./events.ts";
import { turnGate } from "./gates.ts";
import { succeeded } from "./holds.ts";
import { end, endingOf, GONE, gone, seen, scanUnderWay, silentAt } from "./running.ts";
import { tokensLeft } from "./spending.ts";
import type { Lane, Policy, Running } from "./state.ts";
import { threadWorks } from "./threads.ts";

export function launched(sofar: Decision, claim: Running, event: NewsOf<"launched">): Decision {
  const { pid, startTicks, bootId, workspace } = event;
  const recorded = record(sofar, {
    type: "run_launched",
    runId: claim.run.id,
    pid,
    startTicks,
    bootId,
    workspace,
  });
  return say(recorded, event.at, about(claim), { type: "agent_launched", pid });
}

/** The thread is open: the first turn may begin. */
export function opened(sofar: Decision, claim: Running, event: NewsOf<"opened">, policy: Policy): Decision {
  // A run has one thread; said twice, it must not set the marks back.
  if (claim.thread !== null) return sofar;
  const tally = tallyOf(sofar.state, claim.issue.id);
  // A thread new to us starts at zero; marks of another one would swallow its first tokens.
  const sameThread = tally.thread === event.threadId;
  const next: Running = {
    ...claim,
    thread: event.threadId,
    threadTotal: sameThread ? tally.threadTotal : noTokens,
  };
  const { threadId, resumed, why } = event;
  const recorded = record(update(sofar, next), {
    type: "thread_opened",
    runId: claim.run.id,
    threadId,
    resumed,
  });
  const said = say(recorded, event.at, about(next), { type: "thread_opened", resumed, why });
  const proved = succeeded(said, next, "opened", event.at);
  if (claim.step !== "starting") return proved;
  return nextTurn(proved, next, policy, event.at);
}

/** Silence counts from the request: a turn that never begins is none. */
function nextTurn(sofar: Decision, claim: Running, policy: Policy, at: Instant): Decision {
  const turn = claim.turns + 1;
  const { turnsMax } = policy;
  return work(update(sofar, { ...claim, step: "turn", pulseAt: silentAt(at, policy) }), {
    type: "turn",
    runId: claim.run.id,
    turn,
    turnsMax,
    issue: claim.issue,
  });
}

export function turnStarted(
  sofar: Decision,
  claim: Running,
  event: NewsOf<"turn_started">,
  policy: Policy,
): Decision {
  if (claim.thread === null) return sofar;
  const turns = claim.turns + 1;
  const next: Running = { ...claim, turns, pulseAt: silentAt(event.at, policy) };
  const recorded = record(update(sofar, next), {
    type: "turn_started",
    runId: claim.run.id,
    turnId: event.turnId,
    threadId: claim.thread,
    number: turns,
    ...(event.said === undefined ? {} : { text: event.said.text }),
    at: event.at,
  });
  return say(
    remember(recorded, next, event.said?.told),
    event.at,
    { ...about(next), turnId: event.turnId },
    { type: "turn_started", turn: turns },
  );
}

/** From here on the thread knows this prompt, whatever becomes of the run. */
function remember(sofar: Decision, { issue }: Running, told: Told | undefined): Decision {
  const tally = tallyOf(sofar.state, issue.id);
  if (told === undefined || isSame(tally.told, told)) return sofar;
  return count(sofar, issue.id, issue.identifier, { ...tally, told });
}

const isSame = (a: Told | null, b: Told): boolean =>
  a !== null && a.thread === b.thread && a.digest === b.digest && a.state === b.state;

/** A completed turn is followed by a look at the issue; any other ends the run (SPEC 10.3, 16.5). */
export function turnEnded(
  sofar: Decision,
  claim: Running,
  event: NewsOf<"turn_ended">,
  policy: Policy,
): Decision {
  const { turnId, status, message, at } = event;
  const next: Running = { ...claim, pulseAt: null };
  const told = say(
    update(sofar, next),
    at,
    { ...about(next), ...(turnId === null ? {} : { turnId }) },
    {
      type: "turn_ended",
      turn: claim.turns,
      status,
      failure: event.failure,
      message,
    },
  );
  const recorded =
    turnId === null
      ? told
      : record(told, {
          type: "turn_ended",
          runId: claim.run.id,
          turnId,
          status,
          failure: event.failure,
          message,
          at,
        });
  const proved =
    status === "completed" ? itWorks(succeeded(recorded, claim, "completed", at), claim) : recorded;
  if (claim.step === "ending") return proved;
  if (status === "completed") return ask(proved, { ...next, step: "checking" }, policy);
  const why =
    event.failure ?? failure("turn_failed", `Turn ${claim.turns} ended as "${status}" without a reason.`);
  return end(recorded, next, endingOf(why), at);
}

/** Nor is anything wrong with the thread. */
function itWorks(sofar: Decision, { issue }: Running): Decision {
  const works = threadWorks(tallyOf(sofar.state, issue.id));
  return works === null ? sofar : count(sofar, issue.id, issue.identifier, works);
}

/** Looks at the issue before the next turn. */
const ask = (sofar: Decision, claim: Running, { workflow, scope }: Policy): Decision =>
  work(update(sofar, claim), {
    type: "check",
    workflow,
    scope,
    runId: claim.run.id,
    issueId: claim.issue.id,
  });

/** The settings by which the tracker was asked are not in force any more: its answer is of something else. */
const isOutdated = ({ scope }: { readonly scope?: string }, policy: Policy): boolean =>
  scope !== undefined && scope !== policy.scope;

/** The issue as it is after a completed turn: another turn on the same thread, or the end of the run. */
export function checked(sofar: Decision, claim: Running, event: NewsOf<"checked">, lane: Lane): Decision {
  if (claim.step !== "checking") return sofar;
  if (isOutdated(event, lane.policy)) return ask(sofar, claim, lane.policy);
  const { status, at } = event;
  const seenDuring = scanUnderWay(lane);
  const next = { ...(status === null ? claim : seen(claim, status)), seenDuring };
  const { policy } = lane;
  const stop = status === null ? GONE : unroutable(status, policy);
  const enough = stop !== null || next.turns >= policy.turnsMax || tokensLeft(sofar, next, policy) <= 0;
  const gate = enough ? null : turnGate(sofar.state, lane, at);
  // Whatever was seen of it before, it may go on.
  if (!enough && gate === null) return nextTurn(sofar, { ...next, leave: null }, policy, at);
  const ending: Ending = { outcome: "completed", failure: null, ...(gate !== null && { gate }) };
  // What it changed is judged with what its next run changes, when only a gate has cut it short.
  const survey = stop === null && gate === null;
  // A vanished issue is not "active" any more, whatever was seen last.
  return end(sofar, status === null ? gone(next) : next, ending, at, survey);
}

/** The tracker did not answer for longer than the check was willing to wait. */
export function checkFailed(
  sofar: Decision,
  claim: Running,
  event: NewsOf<"check_failed">,
  policy: Policy,
): Decision {
  if (claim.step !== "checking") return sofar;
  if (isOutdated(event, policy)) return ask(sofar, claim, policy);
  return end(sofar, claim, endingOf(event.failure), event.at);
}
