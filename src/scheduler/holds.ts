/**
 * Faults that are nobody's issue: the provider takes no work, the installation lets no run begin, or several issues fail
 * alike. They hold the workflow: nothing starts but one run now and then that tries, and what shows that it is over ends
 * the hold. Failures that a hold is for count against no issue.
 */
import {
  after,
  type Failure,
  type FailureKind,
  failureScope,
  instant,
  type Instant,
  type IssueId,
  later,
  type WorkflowName,
} from "../domain/domain.ts";
import { count, put, say, tallyOf, withHold, withLane } from "./change.ts";
import type { Decision } from "./effects.ts";
import { isUnfit } from "./gates.ts";
import {
  IN_FLIGHT_MS,
  isAlone,
  isSame,
  isSystemic,
  isSystemicOfFew,
  type Others,
  type Sort,
  type Success,
  suffices,
  SYSTEMIC,
  withFailure,
  withFew,
  withRefusal,
  withSuccess,
} from "./signs.ts";
import type { Hold, HoldCause, Lane, Policy, Running, State, Waiting } from "./state.ts";
import { givenBack } from "./tally.ts";

/** Of an account as a whole: no issue's own text provokes them, and they last. */
const ACCOUNT_WIDE: ReadonlySet<FailureKind> = new Set([
  "usage_limit",
  "rate_limited",
  "unauthorized",
  "model_not_found",
]);

/** What a run failed by, and what would show that it is over. */
export const sortOf = ({ thread }: Running, { kind }: Failure): Sort => {
  const scope = failureScope(kind);
  if (scope === "provider") return { kind, overBy: "answered" };
  return { kind, overBy: scope === "installation" || thread === null ? "opened" : "completed" };
};

/** What the failure of a run holds its workflow for; null = it is the issue's own. */
export function causeOf(state: State, lane: Lane, claim: Running, why: Failure): HoldCause | null {
  const sort = sortOf(claim, why);
  const scope = failureScope(why.kind);
  switch (scope) {
    case "ours":
      return null;
    case "provider":
    case "installation":
      return !ACCOUNT_WIDE.has(why.kind) && isAlone(lane.signs, sort.overBy, claim.issue.id) ? null : scope;
    case "issue":
      return isHeldFor(lane.hold, sort) ||
        isSystemic(lane.signs, sort, claim.issue.id) ||
        isSystemicOfFew(lane.signs, sort, claim.issue.id, othersOf(state, lane))
        ? "systemic"
        : null;
  }
}

/** Those whose run begins, waits for its time, or is in line: what is parked, blocked or in its turns shows nothing. */
const othersOf =
  (state: State, { policy, queue }: Lane): Others =>
  (hasFailed) =>
    [...state.claims.values()].some(
      (claim) =>
        claim.workflow === policy.workflow &&
        (claim.phase === "waiting" || (claim.phase === "running" && claim.step === "starting")) &&
        !hasFailed(claim.issue.id),
    ) ||
    queue.some(
      ({ issue, refusedAt }) => refusedAt === null && !state.claims.has(issue.id) && !hasFailed(issue.id),
    );

const isHeldFor = (hold: Hold | null, sort: Sort): boolean =>
  hold?.cause === "systemic" && isSame(hold, sort);

/** How many failures of this issue were counted before it was known that they are nobody's. */
export const falselyCounted = (lane: Lane, cause: HoldCause | null, issue: IssueId): number =>
  cause === "systemic" ? (lane.signs.streak?.failures.get(issue) ?? 0) : 0;

/** Remembers by what a run failed, and holds its workflow if there is a cause, whatever becomes of the issue (I8 of docs/ARCHITECTURE.md). */
export function afterFailure(
  sofar: Decision,
  claim: Running,
  why: Failure,
  cause: HoldCause | null,
  at: Instant,
): Decision {
  const { workflow, issue } = claim;
  if (cause === "systemic") return hold(giveBack(sofar, claim, at), claim, why, cause, at);
  const scope = failureScope(why.kind);
  if (scope === "ours") return sofar;
  const noted = withLane(sofar, workflow, (lane) => ({
    ...lane,
    signs:
      scope === "issue"
        ? withFailure(lane.signs, sortOf(claim, why), issue.id)
        : withRefusal(lane.signs, issue.id, at, cause === null),
  }));
  return cause === null ? noted : hold(noted, claim, why, cause, at);
}

/** The other issues that failed alike get their attempts back; what waits for its next try waits for the hold from now on. */
function giveBack(sofar: Decision, { workflow, issue }: Running, at: Instant): Decision {
  const failures = sofar.state.workflows.get(workflow)?.signs.streak?.failures ?? new Map<IssueId, number>();
  const issues = [...new Set([...failures.keys(), issue.id])];
  const forgotten = withLane(sofar, workflow, (lane) => {
    const signs = issues.length < SYSTEMIC ? withFew(lane.signs, issues) : lane.signs;
    return { ...lane, signs: { ...signs, streak: null } };
  });
  return [...failures].reduce((next, [id, times]) => {
    const other = next.state.claims.get(id);
    if (id === issue.id || other === undefined) return next;
    const counted = count(next, id, other.issue.identifier, givenBack(tallyOf(next.state, id), times));
    return other.phase === "waiting" ? put(counted, { ...other, held: true }, at) : counted;
  }, forgotten);
}

function hold(sofar: Decision, claim: Running, why: Failure, cause: HoldCause, at: Instant): Decision {
  const { workflow } = claim;
  const lane = sofar.state.workflows.get(workflow);
  const before = lane?.hold ?? null;
  // What runs that began before it come to does not change it.
  if (before !== null && isUnfit(before)) return sofar;
  const under = lane === undefined ? null : settingsOf(lane.policy, cause);
  const next = holdAfter(before, { ...sortOf(claim, why), cause, under }, why, at);
  const held = withHold(sofar, workflow, next);
  if (before?.until === next.until && before.cause === next.cause) return held;
  const { remedy, until } = next;
  return say(held, at, { workflow }, { type: "held", cause: next.cause, why: next.why, remedy, until });
}

/** One more refusal. Runs that were under way together are refused together: that is one refusal, and one hold. */
function holdAfter(
  before: Hold | null,
  sort: Sort & Pick<Hold, "cause" | "under">,
  why: Failure,
  at: Instant,
): Hold {
  const known = {
    ...sort,
    why: why.message,
    remedy: why.hint ?? remedyFor(why.kind),
    since: before?.since ?? at,
    trial: before?.trial ?? null,
  };
  const { resetsAt } = why;
  const said = resetsAt !== null && resetsAt > at ? instant(resetsAt) : null;
  const inForce = before !== null && before.until > at ? before : null;
  if (said !== null) {
    // Two limits may be used up: the provider works when both are open again.
    const toldBefore = inForce?.refusals === 0 ? inForce.until : null;
    return { ...known, until: later(said, toldBefore), refusals: 0 };
  }
  const isMore = before !== null && before.cause === sort.cause && isLong(before.kind) === isLong(sort.kind);
  const refusals = isMore ? before.refusals : 0;
  const until = holdUntil(at, refusals, sort.kind);
  if (inForce !== null && (isMore || until <= inForce.until)) return inForce;
  return { ...known, until, refusals: refusals + 1 };
}

const remedyFor = (kind: FailureKind): string =>
  kind === "unauthorized"
    ? "Run `codex login` as the user that runs Baton."
    : "Nothing has to be done if it passes by itself: one run tries now and then.";

const isLong = (kind: FailureKind): boolean => ACCOUNT_WIDE.has(kind);

/** Limits of an account open again in hours; a server that is down, or a disk that somebody mends, is back in minutes. */
const LONG = { firstMs: 5 * 60_000, maxMs: 60 * 60_000 };
const SHORT = { firstMs: 30_000, maxMs: 10 * 60_000 };

/** No hold that came without a time lasts longer. */
export const HOLD_MAX_MS = LONG.maxMs;

/** When a hold ends that came without a time: twice as late each further time, up to a bound. */
export function holdUntil(at: Instant, refusals: number, kind: FailureKind): Instant {
  const { firstMs, maxMs } = isLong(kind) ? LONG : SHORT;
  return after(at, Math.min(firstMs * 2 ** Math.min(refusals, 10), maxMs));
}

/** A run has come so far: that is remembered where something is amiss, and ends a hold that it shows to be over. */
export function succeeded(sofar: Decision, claim: Running, success: Success, at: Instant): Decision {
  const { workflow, issue, run } = claim;
  const lane = sofar.state.workflows.get(workflow);
  if (lane === undefined) return sofar;
  const signs = withSuccess(lane.signs, success, issue.id, at);
  const noted = signs === lane.signs ? sofar : withLane(sofar, workflow, (of) => ({ ...of, signs }));
  const { hold } = lane;
  if (hold === null || isUnfit(hold) || !suffices(success, hold.overBy)) return noted;
  const isFresh = success === "completed" || hold.trial === run.id || at > hold.since + IN_FLIGHT_MS;
  return isFresh ? endHold(noted, workflow, at) : noted;
}

export function endHold(sofar: Decision, workflow: WorkflowName, at: Instant): Decision {
  const ended = say(withHold(sofar, workflow, null), at, { workflow }, { type: "hold_ended" });
  return waitNoLonger(ended, workflow, at);
}

/** Issues that wait only for a hold to end are due. */
const waitNoLonger = (sofar: Decision, workflow: WorkflowName, at: Instant): Decision =>
  heldBack(sofar.state, workflow)
    .filter((claim) => claim.retryAt > at)
    .reduce((next, claim) => put(next, { ...claim, retryAt: at }, at), sofar);

const heldBack = (state: State, workflow: WorkflowName): readonly Waiting[] =>
  state.claims.waiting.filter((claim) => claim.workflow === workflow && claim.held === true);

/** Whatever was said of how long it lasts: one run finds out now whether it is over, because of this. */
export function tryNow(sofar: Decision, workflow: WorkflowName, because: string, at: Instant): Decision {
  const hold = sofar.state.workflows.get(workflow)?.hold ?? null;
  if (hold === null || hold.until <= at) return sofar;
  const tried = withHold(sofar, workflow, { ...hold, until: at });
  if (isUnfit(hold)) return say(tried, at, { workflow }, { type: "trial_due", because, by: "look" });
  return say(waitNoLonger(tried, workflow, at), at, { workflow }, { type: "trial_due", because });
}

/** What tells the settings on which a hold depends: Codex's for a provider; for what lets no run begin, all. */
export const settingsOf = (policy: Policy, cause: HoldCause): string =>
  cause === "provider" ? policy.codexHash : policy.hash;

/** With other settings what refused may take work, whether they were changed under the daemon or while it was down. */
export function tryUnderNew(sofar: Decision, policy: Policy, at: Instant): Decision {
  const { workflow } = policy;
  const hold = sofar.state.workflows.get(workflow)?.hold ?? null;
  if (hold === null) return sofar;
  const under = settingsOf(policy, hold.cause);
  if (hold.under === under) return sofar;
  const known = withHold(sofar, workflow, { ...hold, under });
  return hold.under === null ? known : tryNow(known, workflow, "its settings have changed", at);
}

/** What a start finds in force, so that a daemon on which nothing starts says why. */
export const sayStanding = (sofar: Decision, at: Instant): Decision =>
  [...sofar.state.workflows.values()].reduce((next, { policy: { workflow }, hold }) => {
    if (hold === null) return next;
    const { why, remedy, since } = hold;
    const until = isUnfit(hold) ? null : hold.until;
    return say(
      next,
      at,
      { workflow },
      { type: "standing", what: `${workflow} is held`, why, remedy, since, until },
    );
  }, sofar);

/** A run that tried after a hold and found out nothing lets the next one try. */
export function endTrial(sofar: Decision, { workflow, run }: Running): Decision {
  const lane = sofar.state.workflows.get(workflow);
  if (lane?.hold?.trial !== run.id) return sofar;
  return withHold(sofar, workflow, { ...lane.hold, trial: null });
}
