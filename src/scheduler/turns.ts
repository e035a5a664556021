/** A live run from its process to its last turn. What follows an ended run is decided in settle.ts. */
import { failure, failureScope, type Failure } from "../domain/failure.ts";
import type { IssueStatus } from "../domain/issue.ts";
import { noTokens, type Ending } from "../domain/run.ts";
import { after, type Instant } from "../domain/time.ts";
import { about, put, record, say, tallyOf, update, withHold, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { unroutable } from "./eligible.ts";
import type { NewsOf } from "./events.ts";
import { turnGate } from "./gates.ts";
import { end, endingOf, gone, seen } from "./running.ts";
import { tokensLeft } from "./spending.ts";
import type { Board, Policy, Running, State, Waiting } from "./state.ts";

export function launched(d: Decision, claim: Running, event: NewsOf<"launched">): Decision {
  const { pid, startTicks, bootId, workspace } = event;
  const recorded = record(d, {
    type: "run_launched",
    runId: claim.run.id,
    pid,
    startTicks,
    bootId,
    workspace,
  });
  return say(recorded, event.at, about(claim), { type: "agent_launched", pid });
}

/** The thread is open: the first turn gets the prompt, or, when the thread knows it already, guidance to go on. */
export function opened(d: Decision, claim: Running, event: NewsOf<"opened">, policy: Policy): Decision {
  // A run has one thread; said twice, it must not set the marks back.
  if (claim.thread !== null) return d;
  const tally = tallyOf(d[0], claim.issue.id);
  // A thread new to us starts at zero; marks of another one would swallow its first tokens.
  const sameThread = tally.thread === event.threadId;
  const next: Running = {
    ...claim,
    thread: event.threadId,
    threadTotal: sameThread ? tally.threadTotal : noTokens,
  };
  const { threadId, resumed, why } = event;
  const recorded = record(update(d, next), { type: "thread_opened", runId: claim.run.id, threadId, resumed });
  const said = say(recorded, event.at, about(next), { type: "thread_opened", resumed, why });
  return claim.step === "starting" ? nextTurn(said, next, resumed ? "guidance" : "prompt", policy) : said;
}

function nextTurn(d: Decision, claim: Running, text: "prompt" | "guidance", policy: Policy): Decision {
  const turn = claim.turns + 1;
  const { turnsMax } = policy;
  return work(update(d, { ...claim, step: "turn" }), {
    type: "turn",
    runId: claim.run.id,
    text,
    turn,
    turnsMax,
    issue: claim.issue,
  });
}

export function turnStarted(
  d: Decision,
  claim: Running,
  event: NewsOf<"turn_started">,
  policy: Policy,
): Decision {
  if (claim.thread === null) return d;
  const turns = claim.turns + 1;
  const next: Running = { ...claim, turns, pulseAt: silentAt(event.at, policy) };
  const recorded = record(update(d, next), {
    type: "turn_started",
    runId: claim.run.id,
    turnId: event.turnId,
    threadId: claim.thread,
    number: turns,
    at: event.at,
  });
  return say(
    recorded,
    event.at,
    { ...about(next), turnId: event.turnId },
    { type: "turn_started", turn: turns },
  );
}

const silentAt = (lastSign: Instant, { silenceMaxMs }: Policy): Instant | null =>
  silenceMaxMs > 0 ? after(lastSign, silenceMaxMs) : null;

/** A completed turn is followed by a look at the issue; any other ends the run (SPEC 10.3, 16.5). */
export function turnEnded(d: Decision, claim: Running, event: NewsOf<"turn_ended">): Decision {
  const { turnId, status, message, at } = event;
  const next: Running = { ...claim, pulseAt: null };
  const told = say(
    update(d, next),
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
  const proved = status === "completed" ? providerWorks(recorded, claim.workflow, at) : recorded;
  if (claim.step === "ending") return proved;
  if (status === "completed") {
    const { workflow } = claim;
    return work(update(proved, { ...next, step: "checking" }), {
      type: "check",
      runId: claim.run.id,
      issueId: claim.issue.id,
      workflow,
    });
  }
  const why =
    event.failure ?? failure("turn_failed", `Turn ${claim.turns} ended as "${status}" without a reason.`);
  return end(recorded, next, endingOf(why), at);
}

/** A turn came to its end: whatever the provider said before, it takes work. */
function providerWorks(d: Decision, workflow: Running["workflow"], at: Instant): Decision {
  if ((d[0].workflows.get(workflow)?.hold ?? null) === null) return d;
  const ended = say(withHold(d, workflow, null), at, { workflow }, { type: "hold_ended" });
  return heldBack(d[0], workflow, at).reduce(
    (next, claim) => put(next, { ...claim, retryAt: at }, at),
    ended,
  );
}

/** Issues that wait only because the provider took no work. */
const heldBack = (state: State, workflow: Running["workflow"], at: Instant): readonly Waiting[] =>
  [...state.claims.values()].filter(
    (claim): claim is Waiting =>
      claim.phase === "waiting" &&
      claim.workflow === workflow &&
      claim.retryAt > at &&
      claim.failure !== null &&
      failureScope(claim.failure.kind) === "provider",
  );

/** The issue as it is after a completed turn: another turn on the same thread, or the end of the run. */
export function checked(
  d: Decision,
  claim: Running,
  status: IssueStatus | null,
  board: Board,
  at: Instant,
): Decision {
  if (claim.step !== "checking") return d;
  const next = status === null ? claim : seen(claim, status);
  const { policy } = board;
  const stop = status === null ? "it is no longer visible in the tracker" : unroutable(status, policy);
  const enough =
    stop !== null ||
    next.turns >= policy.turnsMax ||
    turnGate(d[0], board, at) !== null ||
    tokensLeft(d, next, policy) <= 0;
  if (!enough) return nextTurn(d, next, "guidance", policy);
  const ending: Ending =
    d[0].phase !== "stopping"
      ? { outcome: "completed", failure: null }
      : endingOf(failure("shutdown", "Baton is stopping; the thread will be resumed at the next start."));
  // A vanished issue is not "active" any more, whatever was seen last.
  return end(d, status === null ? gone(next) : next, ending, at, stop === null);
}

/** The tracker did not answer for longer than the check was willing to wait. */
export function checkFailed(d: Decision, claim: Running, why: Failure, at: Instant): Decision {
  return claim.step === "checking" ? end(d, claim, endingOf(why), at) : d;
}
