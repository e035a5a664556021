/** What follows a run that is over: the issue is let go of, goes on, is tried again, waits for a hold to end, or is parked. The one place where that is decided. */
import {
  after,
  type Ending,
  failure,
  type FactBody,
  type Failure,
  failureScope,
  type Instant,
  stateKey,
  type ThreadId,
} from "../domain/domain.ts";
import { backoffMs, CONTINUATION_MS } from "./backoff.ts";
import { about, count, put, record, say, tallyOf } from "./change.ts";
import { letGo, removeWorkspace } from "./begin.ts";
import type { Decision } from "./effects.ts";
import { isOver, isTerminal, notHere, unroutable } from "./eligible.ts";
import type { NewsOf } from "./events.ts";
import { afterFailure, causeOf, endTrial, falselyCounted } from "./holds.ts";
import { type Brake, limitReached, park } from "./parking.ts";
import { endingOf } from "./running.ts";
import type { HoldCause, Lane, Policy, Running, State, Waiting } from "./state.ts";
import { afterRun, givenBack, type RunFound, type Tally } from "./tally.ts";

/** The process group is gone: one outcome (I5 of docs/ARCHITECTURE.md), then what comes next. */
export function settle(
  sofar: Decision,
  claim: Running,
  { failure: reported, changed, fingerprint, at }: NewsOf<"exited">,
  lane: Lane | undefined,
): Decision {
  const ending = claim.ending ?? endingOf(reported ?? unexplained);
  const moved = stateKey(claim.issue.state) !== stateKey(claim.stateBefore) ? true : changed;
  const cause = causeOfEnding(sofar.state, lane, claim, ending);
  const left = { moved, fingerprint: fingerprint ?? null, state: claim.issue.state, at };
  const found = { ending, held: cause !== null, ...left };
  const before = tallyOf(sofar.state, claim.issue.id);
  const spent = counters(
    sofar.state,
    claim,
    found,
    lane === undefined ? 0 : falselyCounted(lane, cause, claim.issue.id),
  );
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
  const thread = claim.turns > 0 ? claim.thread : before.thread;
  const threads =
    thread === null || spent.thread !== null
      ? said
      : say(said, at, about(claim), givenUp(thread, ending.failure));
  const held = ending.failure === null ? threads : afterFailure(threads, claim, ending.failure, cause, at);
  if (sofar.state.phase === "stopping" || sofar.state.phase === "stopped" || lane === undefined)
    return resumeLater(held, claim, at);
  return next(held, claim, { ending, cause, tally: spent }, lane.policy, at);
}

const givenUp = (thread: ThreadId, why: Failure | null): FactBody => ({
  type: "thread_given_up",
  thread,
  why: why?.message ?? "somebody asked for a new one",
});

const unexplained = failure(
  "port_exit",
  "The agent's process ended without being asked and without a reason.",
);

/** What the end of the run holds its workflow for; null = nothing. A workflow that nobody knows cannot be held. */
export function causeOfEnding(
  state: State,
  lane: Lane | undefined,
  claim: Running,
  { failure: why }: Ending,
): HoldCause | null {
  if (why === null || needsPerson(why)) return null;
  if (lane !== undefined) return causeOf(state, lane, claim, why);
  const scope = failureScope(why.kind);
  return scope === "provider" || scope === "installation" ? scope : null;
}

/** What the issue has used up; `falsely`: failures that were counted before it was known that they are nobody's. */
const counters = (state: State, claim: Running, found: RunFound, falsely: number): Tally =>
  givenBack(afterRun(tallyOf(state, claim.issue.id), claim, found), falsely);

interface Outcome {
  readonly ending: Ending;
  /** What the workflow is held for by it; null = nothing. */
  readonly cause: HoldCause | null;
  readonly tally: Tally;
}

function next(
  sofar: Decision,
  claim: Running,
  { ending, cause, tally }: Outcome,
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
  return cause !== null ? waitOutHold(sofar, claim, why, at) : retry(sofar, claim, why, tally, policy, at);
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
  const attempt = (claim.run.attempt ?? 0) + 1;
  // Who waits for another daemon's end has failed at nothing, and still asks less and less often.
  const times = why.kind === "workspace_in_use" ? attempt : tally.failures;
  const retryAt = after(at, backoffMs(times, policy.backoffMaxMs));
  return wait(sofar, claim, { at, retryAt, attempt, kind: "retry", why: why.message, failure: why });
}

/** The issue waits until what holds its workflow is over; its attempt is not counted. */
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
    held: true,
  });
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
    held = false,
  }: {
    readonly at: Instant;
    readonly retryAt: Instant;
    readonly attempt: number;
    readonly kind: Running["run"]["kind"];
    readonly why: string;
    readonly failure: Failure | null;
    readonly held?: boolean;
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
  const waiting: Waiting = { phase: "waiting", workflow, issue, retryAt, attempt, kind, why, failure };
  return put(said, held ? { ...waiting, held } : waiting, at);
}
