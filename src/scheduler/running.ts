/** A live run among others: whether it may go on, whether it is silent, and that it has to end. */
import {
  after,
  type Ending,
  failure,
  type Failure,
  failureOutcome,
  type Instant,
  type IssueStatus,
} from "../domain/domain.ts";
import { about, say, update, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { unroutable } from "./eligible.ts";
import type { NewsOf } from "./events.ts";
import type { Lane, Policy, Running } from "./state.ts";

/**
 * How long a run may go on after its issue was seen to be no longer its business. Agents close their own tickets as
 * their last act but one; stopped on the spot, each of those runs would end as canceled instead of completed.
 */
export const LEAVE_MS = 10_000;

/** What is told of an issue that by-id reads do not find. */
export const GONE = "it is no longer visible in the tracker";

/** Reconciliation of one running issue (SPEC 8.5 B, I7 of docs/ARCHITECTURE.md). */
export function reconcile(
  sofar: Decision,
  claim: Running,
  status: IssueStatus | undefined,
  policy: Policy,
  at: Instant,
): Decision {
  const next = status === undefined ? gone(claim) : seen(claim, status);
  const why = status === undefined ? GONE : unroutable(status, policy);
  if (why === null) return update(sofar, { ...next, leave: null });
  if (claim.step === "ending" || claim.step === "checking" || claim.leave !== null)
    return update(sofar, next);
  return update(sofar, {
    ...next,
    leave: { by: after(at, LEAVE_MS), why: `The run was stopped because ${why}.` },
  });
}

/** The run with its issue as it was seen now. */
export function seen(claim: Running, status: IssueStatus): Running {
  // What the tracker does not say any more does not stay.
  const { whyNot: _whyNot, putAway: _putAway, ...before } = claim.issue;
  return { ...claim, issue: { ...before, ...status } };
}

/** The run with its issue as one that is no longer there for it. */
export function gone(claim: Running): Running {
  const { putAway: _putAway, ...before } = claim.issue;
  return { ...claim, issue: { ...before, dispatchable: false, whyNot: GONE } };
}

/** The scan that may be told later than what is seen now, and be older. Counted from 1, in the life of the process; 0 = none. */
export const scanUnderWay = ({ polling, polls }: Lane): number => (polling ? polls + 1 : 0);

/** When the pulse is to be felt of an agent that was heard, or asked for a turn, at `lastSign`; null = never. */
export const silentAt = (lastSign: Instant, { silenceMaxMs }: Policy): Instant | null =>
  silenceMaxMs > 0 ? after(lastSign, silenceMaxMs) : null;

/**
 * What the agent's pulse is. A command may work in silence for as long as the session lets a turn be silent at all
 * (agent/port.ts); whoever is called has to answer.
 */
export function pulse(sofar: Decision, claim: Running, event: NewsOf<"pulse">, policy: Policy): Decision {
  const { silenceMaxMs, callSilenceMaxMs } = policy;
  if (claim.step !== "turn" || silenceMaxMs <= 0) return sofar;
  if (event.openCommands > 0) return update(sofar, { ...claim, pulseAt: after(event.at, silenceMaxMs) });
  const calls = event.openCalls > 0;
  const deadline = after(event.signAt, calls ? Math.max(callSilenceMaxMs, silenceMaxMs) : silenceMaxMs);
  if (deadline > event.at) return update(sofar, { ...claim, pulseAt: deadline });
  const seconds = Math.round((event.at - event.signAt) / 1000);
  return end(sofar, claim, endingOf(calls ? unanswered(seconds) : silent(seconds)), event.at);
}

const silent = (seconds: number): Failure =>
  failure("stalled", `The agent said nothing for ${seconds} s with nothing running.`, {
    hint: "Raise codex.stall_timeout_ms if the model may think for longer than that.",
  });

const unanswered = (seconds: number): Failure =>
  failure(
    "stalled",
    `The agent said nothing for ${seconds} s, waiting for the answer of a tool, an MCP server or another agent.`,
    { hint: "Raise codex.tool_timeout_ms if such an answer may take longer than that." },
  );

/** Deadlines of one run that have passed: feel the pulse, or end what has lasted too long. */
export function overdue(sofar: Decision, claim: Running, policy: Policy | undefined, at: Instant): Decision {
  if (claim.step === "ending") return sofar;
  if (claim.endBy <= at) {
    const limit = policy === undefined ? "its time" : `limits.max_run_ms (${policy.limits.maxRunMs} ms)`;
    return end(sofar, claim, endingOf(failure("run_timeout", `The run took longer than ${limit}.`)), at);
  }
  if (claim.leave !== null && claim.leave.by <= at) {
    return end(
      sofar,
      claim,
      { outcome: "canceled", failure: failure("no_longer_eligible", claim.leave.why) },
      at,
    );
  }
  if (claim.pulseAt === null || claim.pulseAt > at) return sofar;
  return work(update(sofar, { ...claim, pulseAt: null }), { type: "pulse", runId: claim.run.id });
}

/** Asks a run to end. The first reason wins and is the one recorded. */
export function end(sofar: Decision, claim: Running, ending: Ending, at: Instant, survey = false): Decision {
  if (claim.step === "ending") return sofar;
  const next: Running = { ...claim, step: "ending", ending, pulseAt: null };
  const stopping = work(update(sofar, next), {
    type: "stop",
    runId: claim.run.id,
    why: ending.failure,
    survey,
  });
  const why = ending.failure?.message ?? ending.gate ?? null;
  return why === null ? stopping : say(stopping, at, about(claim), { type: "run_stopping", why });
}

/** A failure as the ending of a run. */
export const endingOf = (why: Failure): Ending => ({ outcome: failureOutcome(why.kind), failure: why });
