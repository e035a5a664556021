/** News of live runs: from spawn to the last turn. What follows an ended run is decided in settle.ts. */
import { failure, failureOutcome, failureScope, type Failure } from "../domain/failure.ts";
import type { IssueStatus } from "../domain/issue.ts";
import { addTokens, highWater, noTokens, spentSince, type Ending } from "../domain/run.ts";
import { after, type Instant } from "../domain/time.ts";
import { about, put, record, say, tallyOf, update, withHold, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { unroutable } from "./eligible.ts";
import type { RunEvent } from "./events.ts";
import { dayLimit, dayOf, midnightAfter, spentOn, turnGate } from "./gates.ts";
import type { Board, Policy, Running, State, Waiting } from "./state.ts";

/**
 * How long a run may go on after its issue was seen to be no longer its business. Agents close their own tickets as
 * their last act but one; stopped on the spot, each of those runs would end as canceled instead of completed.
 */
export const LEAVE_MS = 10_000;

/** From this share of an issue's tokens on, the agent is asked to commit, write down where it is, and stop. */
const LANDING_SHARE = 0.8;

type News<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }> & { readonly at: Instant };

export function launched(d: Decision, claim: Running, event: News<"launched">): Decision {
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
export function opened(d: Decision, claim: Running, event: News<"opened">, policy: Policy): Decision {
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
  event: News<"turn_started">,
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
export function turnEnded(d: Decision, claim: Running, event: News<"turn_ended">): Decision {
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

/** Reconciliation of one running issue (SPEC 8.5 B, I7). */
export function reconcile(
  d: Decision,
  claim: Running,
  status: IssueStatus | undefined,
  policy: Policy,
  at: Instant,
): Decision {
  const next = status === undefined ? gone(claim) : seen(claim, status);
  const why = status === undefined ? "it is no longer visible in the tracker" : unroutable(status, policy);
  if (why === null) return update(d, { ...next, leave: null });
  if (claim.step === "ending" || claim.step === "checking" || claim.leave !== null) return update(d, next);
  return update(d, {
    ...next,
    leave: { by: after(at, LEAVE_MS), why: `The run was stopped because ${why}.` },
  });
}

const seen = (claim: Running, status: IssueStatus): Running => ({
  ...claim,
  issue: { ...claim.issue, ...status },
});

const gone = (claim: Running): Running => ({ ...claim, issue: { ...claim.issue, dispatchable: false } });

/** Totals only grow (I6): what a report has on top of the mark is what was spent since. */
export function usage(d: Decision, claim: Running, event: News<"usage">, policy: Policy): Decision {
  // A resumed thread may repeat its total before the first turn. A run without a turn leaves no mark (settle.ts), so
  // what it counted would be counted again by the next one; the first report of a turn has it all.
  if (event.threadId !== claim.thread || claim.turns === 0) return d;
  const spent = spentSince(event.total, claim.threadTotal);
  if (spent.total === 0 && spent.input === 0 && spent.output === 0) return d;
  const next: Running = {
    ...claim,
    threadTotal: highWater(event.total, claim.threadTotal),
    tokens: addTokens(claim.tokens, spent),
  };
  const recorded = record(update(spend(d, spent.total, event.at), next), {
    type: "usage",
    runId: claim.run.id,
    issueId: claim.issue.id,
    threadId: event.threadId,
    total: next.threadTotal,
    run: next.tokens,
    at: event.at,
  });
  const told = say(recorded, event.at, about(next), { type: "usage", total: next.tokens });
  return land(told, next, policy, event.at);
}

/** At most of the issue's tokens the agent is asked to come to an end; at all of them it is interrupted. */
function land(d: Decision, claim: Running, policy: Policy, at: Instant): Decision {
  const max = tokensMaxOf(d, claim, policy);
  const used = max - tokensLeft(d, claim, policy);
  if (used >= max) {
    const why = failure(
      "limit_reached",
      `The issue has used up its ${max} tokens (limits.max_tokens_per_issue).`,
    );
    return end(d, claim, { outcome: "canceled", failure: why }, at);
  }
  if (claim.landing || claim.step !== "turn" || used < max * LANDING_SHARE) return d;
  const told = say(d, at, about(claim), { type: "agent_steered", used, max });
  return work(update(told, { ...claim, landing: true }), { type: "steer", runId: claim.run.id, used, max });
}

/** Adds to what the day has used. The first tokens of a new day start its count. */
function spend([state, effects]: Decision, tokens: number, at: Instant): Decision {
  const before = spentOn(state, at);
  const next: State = { ...state, spent: { day: dayOf(at), tokens: before + tokens } };
  const max = dayLimit(state);
  if (max === null || before >= max || before + tokens < max) return [next, effects];
  const until = midnightAfter(at);
  return say([next, effects], at, {}, { type: "day_limit_reached", used: before + tokens, max, until });
}

const tokensMaxOf = (d: Decision, claim: Running, policy: Policy): number =>
  policy.tokensMax + tallyOf(d[0], claim.issue.id).extraTokens;

const tokensLeft = (d: Decision, claim: Running, policy: Policy): number =>
  tokensMaxOf(d, claim, policy) - tallyOf(d[0], claim.issue.id).tokens.total - claim.tokens.total;

/** The answer to a probe: silence counts only while nothing is open; a command that still runs is not a stall. */
export function pulse(d: Decision, claim: Running, event: News<"pulse">, policy: Policy): Decision {
  if (claim.step !== "turn" || policy.silenceMaxMs <= 0) return d;
  const lastSign = event.openItems > 0 ? event.at : event.signAt;
  const deadline = after(lastSign, policy.silenceMaxMs);
  if (deadline > event.at) return update(d, { ...claim, pulseAt: deadline });
  const seconds = Math.round((event.at - event.signAt) / 1000);
  const why = failure("stalled", `The agent said nothing for ${seconds} s with nothing running.`, {
    hint: "Raise codex.stall_timeout_ms if the model may think for longer than that.",
  });
  return end(d, claim, endingOf(why), event.at);
}

/** Deadlines of one run that have passed: feel the pulse, or end what has lasted too long. */
export function overdue(d: Decision, claim: Running, policy: Policy | undefined, at: Instant): Decision {
  if (claim.step === "ending") return d;
  if (claim.endBy <= at) {
    const limit = policy === undefined ? "its time" : `limits.max_run_ms (${policy.runMaxMs} ms)`;
    return end(d, claim, endingOf(failure("run_timeout", `The run took longer than ${limit}.`)), at);
  }
  if (claim.leave !== null && claim.leave.by <= at) {
    return end(
      d,
      claim,
      { outcome: "canceled", failure: failure("no_longer_eligible", claim.leave.why) },
      at,
    );
  }
  if (claim.pulseAt === null || claim.pulseAt > at) return d;
  return work(update(d, { ...claim, pulseAt: null }), { type: "probe", runId: claim.run.id });
}

/** Asks a run to end. The first reason wins and is the one recorded. */
export function end(d: Decision, claim: Running, ending: Ending, at: Instant, survey = false): Decision {
  if (claim.step === "ending") return update(d, { ...claim, ending: claim.ending ?? ending });
  const next: Running = { ...claim, step: "ending", ending, pulseAt: null };
  const stopping = work(update(d, next), { type: "stop", runId: claim.run.id, why: ending.failure, survey });
  return ending.failure === null
    ? stopping
    : say(stopping, at, about(claim), { type: "run_stopping", why: ending.failure.message });
}

/** A failure as the ending of a run. */
export const endingOf = (why: Failure): Ending => ({ outcome: failureOutcome(why.kind), failure: why });
