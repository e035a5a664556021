/** What follows a run that is over: the issue is let go of, goes on, is tried again, waits for the provider, or is parked. The one place where that is decided. */
import {
  after,
  type Ending,
  failure,
  type Failure,
  failureScope,
  instant,
  type Instant,
  later,
  stateKey,
} from "../domain/domain.ts";
import { backoffMs, CONTINUATION_MS } from "./backoff.ts";
import { about, count, put, record, say, tallyOf, withHold } from "./change.ts";
import { letGo, removeWorkspace } from "./begin.ts";
import type { Decision } from "./effects.ts";
import { isOver, isTerminal, notHere, unroutable } from "./eligible.ts";
import type { NewsOf } from "./events.ts";
import { holdUntil } from "./gates.ts";
import { type Brake, limitReached, park } from "./parking.ts";
import { endingOf } from "./running.ts";
import type { Lane, Hold, Policy, Running } from "./state.ts";
import { afterRun, type Tally } from "./tally.ts";

/** The process group is gone: one outcome (I5 of docs/ARCHITECTURE.md), then what comes next. */
export function settle(
  sofar: Decision,
  claim: Running,
  { failure: reported, changed, fingerprint, at }: NewsOf<"exited">,
  lane: Lane | undefined,
): Decision {
  const ending = claim.ending ?? endingOf(reported ?? unexplained);
  const moved = stateKey(claim.issue.state) !== stateKey(claim.stateBefore) ? true : changed;
  const found = { ending, moved, fingerprint: fingerprint ?? null, state: claim.issue.state, at };
  const spent = afterRun(tallyOf(sofar.state, claim.issue.id), claim, found);
  const counted = count(endTrial(sofar, claim), claim.issue.id, claim.issue.identifier, spent);
  const { turns, tokens, run } = claim;
  const recorded = record(counted, { type: "run_ended", runId: run.id, ending, turns, tokens, at });
  const said = say(recorded, at, about(claim), {
    type: "run_ended",
    ending,
    turns,
    tokens,
    tookMs: at - run.startedAt,
  });
  const held = isRefusal(ending.failure) ? hold(said, claim.workflow, ending.failure, at) : said;
  if (sofar.state.phase === "stopping" || sofar.state.phase === "stopped" || lane === undefined)
    return resumeLater(held, claim, at);
  return next(held, claim, ending, spent, lane.policy, at);
}

const unexplained = failure(
  "port_exit",
  "The agent's process ended without being asked and without a reason.",
);

const isRefusal = (why: Failure | null): why is Failure =>
  why !== null && failureScope(why.kind) === "provider";

function next(
  sofar: Decision,
  claim: Running,
  ending: Ending,
  tally: Tally,
  policy: Policy,
  at: Instant,
): Decision {
  if (isOver(claim.issue, policy)) {
    const why = isTerminal(claim.issue, policy)
      ? `it is done ("${claim.issue.state}")`
      : notHere(claim.issue);
    return removeWorkspace(letGo(sofar, claim, why, at), claim);
  }
  const left = unroutable(claim.issue, policy);
  if (left !== null) return letGo(sofar, claim, left, at);
  const exhausted = limitReached(tally, policy);
  if (exhausted !== null) return parkAfter(sofar, claim, exhausted, at);
  const why = ending.failure;
  if (why === null || why.kind === "no_longer_eligible") return goOn(sofar, claim, at);
  if (needsPerson(why)) return parkAfter(sofar, claim, { reason: "needs_person", why: why.message }, at);
  return isRefusal(why) ? waitOutHold(sofar, claim, why, at) : retry(sofar, claim, why, tally, policy, at);
}

/** Failures that the same run again cannot mend, and that the workflow asked to be shown to a person. */
const needsPerson = (why: Failure): boolean =>
  why.kind === "approval_required" || why.kind === "turn_input_required";

const parkAfter = (sofar: Decision, claim: Running, brake: Brake, at: Instant): Decision =>
  park(sofar, claim, brake, { scope: about(claim), at, unseen: true });

/** Ended well with the issue still active: once more, soon (SPEC 7.1). */
const goOn = (sofar: Decision, claim: Running, at: Instant): Decision =>
  wait(sofar, claim, {
    at,
    retryAt: after(at, CONTINUATION_MS),
    attempt: 1,
    kind: "continuation",
    why: "the issue is still active",
    failure: null,
  });

/** Stopped by us: the next start goes on with the same thread, and the attempt is not counted. */
const resumeLater = (sofar: Decision, claim: Running, at: Instant): Decision =>
  wait(sofar, claim, {
    at,
    retryAt: at,
    attempt: claim.run.attempt ?? 1,
    kind: "continuation",
    why: "Baton was stopped while it ran",
    failure: null,
  });

function retry(
  sofar: Decision,
  claim: Running,
  why: Failure,
  tally: Tally,
  policy: Policy,
  at: Instant,
): Decision {
  const retryAt = after(at, backoffMs(tally.failures, policy.backoffMaxMs));
  const attempt = (claim.run.attempt ?? 0) + 1;
  return wait(sofar, claim, { at, retryAt, attempt, kind: "retry", why: why.message, failure: why });
}

/** The issue waits until the provider takes work again; its attempt is not counted. */
function waitOutHold(sofar: Decision, claim: Running, why: Failure, at: Instant): Decision {
  const { workflow, run } = claim;
  const retryAt = sofar.state.workflows.get(workflow)?.hold?.until ?? at;
  return wait(sofar, claim, {
    at,
    retryAt,
    attempt: run.attempt ?? 1,
    kind: run.kind,
    why: why.message,
    failure: why,
  });
}

/** The provider takes no work, whatever becomes of the issue: nothing of this workflow starts until it may again (I8). */
function hold(sofar: Decision, workflow: Running["workflow"], why: Failure, at: Instant): Decision {
  const before = sofar.state.workflows.get(workflow)?.hold ?? null;
  const next = holdAfter(before, why, at);
  const held = withHold(sofar, workflow, next);
  if (before?.until === next.until) return held;
  return say(held, at, { workflow }, { type: "held", why: why.message, until: next.until });
}

/** One more refusal. Runs that were under way together are refused together: that is one refusal, and one hold. */
function holdAfter(before: Hold | null, { message, resetsAt }: Failure, at: Instant): Hold {
  const said = resetsAt !== null && resetsAt > at ? instant(resetsAt) : null;
  const inForce = before !== null && before.until > at ? before : null;
  if (said !== null) {
    // Two limits may be used up: the provider works when both are open again.
    const toldBefore = inForce?.refusals === 0 ? inForce.until : null;
    return { why: message, until: later(said, toldBefore), refusals: 0, trial: null };
  }
  if (inForce !== null) return { ...inForce, trial: null };
  const refusals = before?.refusals ?? 0;
  return { why: message, until: holdUntil(at, refusals), refusals: refusals + 1, trial: null };
}

/** A run that tried after a hold and found out nothing lets the next one try. */
function endTrial(sofar: Decision, { workflow, run }: Running): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane?.hold?.trial !== run.id) return sofar;
  return withHold(sofar, workflow, { ...lane.hold, trial: null });
}

function wait(
  sofar: Decision,
  { workflow, issue, run }: Running,
  {
    at,
    retryAt,
    attempt,
    kind,
    why,
    failure,
  }: {
    readonly at: Instant;
    readonly retryAt: Instant;
    readonly attempt: number;
    readonly kind: Running["run"]["kind"];
    readonly why: string;
    readonly failure: Failure | null;
  },
): Decision {
  const scope = { workflow, issueId: issue.id, identifier: issue.identifier, runId: run.id };
  const said = say(sofar, at, scope, {
    type: "retry_scheduled",
    retryAt,
    attempt,
    // The run's end has told what happened.
    why: failure === null ? why : `it failed (${failure.kind})`,
  });
  return put(said, { phase: "waiting", workflow, issue, retryAt, attempt, kind, why, failure }, at);
}
