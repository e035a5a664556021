/** What follows a run that is over: release, continue, retry, hold or park. The one place where that is decided. */
import { failure, failureScope, type Failure } from "../domain/failure.ts";
import { stateKey } from "../domain/issue.ts";
import { addTokens, type Ending } from "../domain/run.ts";
import { after, instant, later, type Instant } from "../domain/time.ts";
import { CONTINUATION_MS, backoffMs } from "./backoff.ts";
import { about, count, put, record, say, tallyOf, withHold } from "./change.ts";
import { release, removeWorkspace } from "./begin.ts";
import type { Decision } from "./effects.ts";
import { isTerminal, unroutable } from "./eligible.ts";
import type { RunEvent } from "./events.ts";
import { holdUntil } from "./gates.ts";
import { limitReached, park, type Brake } from "./parking.ts";
import { endingOf } from "./running.ts";
import type { Board, Hold, Policy, Running, Tally } from "./state.ts";

/** The process group is gone: one outcome (I5), then what comes next. */
export function settle(
  d: Decision,
  claim: Running,
  {
    failure: reported,
    changed,
    fingerprint,
    at,
  }: Extract<RunEvent, { type: "exited" }> & { readonly at: Instant },
  board: Board | undefined,
): Decision {
  const ending = claim.ending ?? endingOf(reported ?? unexplained);
  const before = tallyOf(d[0], claim.issue.id);
  const spent = tallied(
    { ...before, fingerprint: fingerprint ?? before.fingerprint },
    claim,
    ending,
    changed,
  );
  const counted = count(endProbe(d, claim), claim.issue.id, claim.issue.identifier, spent);
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
  if (d[0].phase === "stopping" || d[0].phase === "stopped" || board === undefined)
    return resumeLater(held, claim, at);
  return next(held, claim, ending, spent, board.policy, at);
}

const unexplained = failure(
  "port_exit",
  "The agent's process ended without being asked and without a reason.",
);

/** The issue's counters after this run. What was not the issue's doing gives its attempt back (users.md, rank 4). */
function tallied(
  tally: Tally,
  claim: Running,
  { outcome, failure: why }: Ending,
  changed: boolean | null,
): Tally {
  const refund = why !== null && isRefunded(why) ? 1 : 0;
  const failed = outcome === "failed" || outcome === "stalled" || outcome === "timed_out";
  return {
    ...tally,
    // A person may have set it back while the run was under way: nothing is given back twice.
    runs: Math.max(0, tally.runs - refund),
    idle: idleAfter(tally, claim, outcome, changed),
    failures: outcome === "completed" ? 0 : tally.failures + (failed && refund === 0 ? 1 : 0),
    tokens: addTokens(tally.tokens, claim.tokens),
    // A run that never got as far as a turn leaves a thread that cannot be resumed.
    thread: claim.turns > 0 ? claim.thread : tally.thread,
    threadTotal: claim.turns > 0 ? claim.threadTotal : tally.threadTotal,
  };
}

/** A completed run that moved neither the issue nor the workspace was for nothing; who cannot tell does not count it. */
function idleAfter(
  tally: Tally,
  claim: Running,
  outcome: Ending["outcome"],
  changed: boolean | null,
): number {
  if (outcome !== "completed") return tally.idle;
  const moved = stateKey(claim.issue.state) !== stateKey(claim.stateBefore);
  return changed === false && !moved ? tally.idle + 1 : 0;
}

const isRefusal = (why: Failure | null): why is Failure =>
  why !== null && failureScope(why.kind) === "provider";

const isRefunded = (why: Failure): boolean =>
  failureScope(why.kind) === "provider" || why.kind === "shutdown" || why.kind === "lost";

function next(
  d: Decision,
  claim: Running,
  ending: Ending,
  tally: Tally,
  policy: Policy,
  at: Instant,
): Decision {
  if (isTerminal(claim.issue, policy)) {
    return removeWorkspace(release(d, claim, `it is done ("${claim.issue.state}")`, at), claim);
  }
  const left = unroutable(claim.issue, policy);
  if (left !== null) return release(d, claim, left, at);
  const exhausted = limitReached(tally, policy);
  if (exhausted !== null) return parkAfter(d, claim, exhausted, at);
  const why = ending.failure;
  if (why === null || why.kind === "no_longer_eligible") return goOn(d, claim, at);
  if (needsPerson(why)) return parkAfter(d, claim, { reason: "needs_person", why: why.message }, at);
  return isRefusal(why) ? heldBack(d, claim, why, at) : retry(d, claim, why, tally, policy, at);
}

/** Failures that the same run again cannot mend, and that the workflow asked to be shown to a person. */
const needsPerson = (why: Failure): boolean =>
  why.kind === "approval_required" || why.kind === "turn_input_required";

const parkAfter = (d: Decision, claim: Running, brake: Brake, at: Instant): Decision =>
  park(d, claim, brake, { scope: about(claim), at, unseen: true });

/** Ended well with the issue still active: once more, soon (SPEC 7.1). */
const goOn = (d: Decision, claim: Running, at: Instant): Decision =>
  wait(d, claim, {
    at,
    retryAt: after(at, CONTINUATION_MS),
    attempt: 1,
    kind: "continuation",
    why: "the issue is still active",
    failure: null,
  });

/** Stopped by us: the next start goes on with the same thread, and the attempt is not counted. */
const resumeLater = (d: Decision, claim: Running, at: Instant): Decision =>
  wait(d, claim, {
    at,
    retryAt: at,
    attempt: claim.run.attempt ?? 1,
    kind: "continuation",
    why: "Baton was stopped while it ran",
    failure: null,
  });

function retry(
  d: Decision,
  claim: Running,
  why: Failure,
  tally: Tally,
  policy: Policy,
  at: Instant,
): Decision {
  const retryAt = after(at, backoffMs(tally.failures, policy.backoffMaxMs));
  const attempt = (claim.run.attempt ?? 0) + 1;
  return wait(d, claim, { at, retryAt, attempt, kind: "retry", why: why.message, failure: why });
}

/** The issue waits until the provider takes work again; its attempt is not counted. */
function heldBack(d: Decision, claim: Running, why: Failure, at: Instant): Decision {
  const { workflow, run } = claim;
  const retryAt = d[0].workflows.get(workflow)?.hold?.until ?? at;
  const kind = run.attempt === null ? "first" : run.kind;
  return wait(d, claim, { at, retryAt, attempt: run.attempt ?? 1, kind, why: why.message, failure: why });
}

/** The provider takes no work, whatever becomes of the issue: nothing of this workflow starts until it may again (I8). */
function hold(d: Decision, workflow: Running["workflow"], why: Failure, at: Instant): Decision {
  const before = d[0].workflows.get(workflow)?.hold ?? null;
  const next = holdAfter(before, why, at);
  const held = withHold(d, workflow, next);
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
    return { why: message, until: later(said, toldBefore), refusals: 0, probe: null };
  }
  if (inForce !== null) return { ...inForce, probe: null };
  const refusals = before?.refusals ?? 0;
  return { why: message, until: holdUntil(at, refusals), refusals: refusals + 1, probe: null };
}

/** A run that tried after a hold and found out nothing lets the next one try. */
function endProbe(d: Decision, { workflow, run }: Running): Decision {
  const board = d[0].workflows.get(workflow);
  if (board?.hold?.probe !== run.id) return d;
  return withHold(d, workflow, { ...board.hold, probe: null });
}

function wait(
  d: Decision,
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
  const said = say(d, at, scope, { type: "retry_scheduled", retryAt, attempt, why });
  return put(said, { phase: "waiting", workflow, issue, retryAt, attempt, kind, why, failure }, at);
}
