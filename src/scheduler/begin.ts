/** The two ends of a claim: a run begins, or the issue is let go of. */
import {
  after,
  type Instant,
  type Issue,
  type IssueId,
  noTokens,
  type Run,
  runId,
  type RunKind,
  type WorkflowName,
} from "../domain/domain.ts";
import {
  about,
  changeCandidate,
  count,
  drop,
  put,
  record,
  say,
  tallyOf,
  withHold,
  withLane,
  withState,
  work,
} from "./change.ts";
import { causeOf, seenLeft, stateToTell } from "./cause.ts";
import type { Decision } from "./effects.ts";
import { limitReached, park } from "./parking.ts";
import { scanUnderWay } from "./running.ts";
import type { Lane, Claim, Running, State } from "./state.ts";
import { withoutWorkspace } from "./tally.ts";

/** What begins: an issue as the tracker has just shown it, and why it has another run. */
export interface Start {
  readonly issue: Issue;
  readonly attempt: number | null;
  readonly kind: RunKind;
}

/** Limits hold for every start: they may have been lowered since, or the issue was let go of and is back. */
export function beginWithin(sofar: Decision, lane: Lane, start: Start, at: Instant): Decision {
  const { policy } = lane;
  const { issue } = start;
  const brake = limitReached(tallyOf(sofar.state, issue.id), policy);
  if (brake === null) return begin(sofar, lane, start, at);
  const { workflow } = policy;
  const scope = { workflow, issueId: issue.id, identifier: issue.identifier };
  return park(unqueue(sofar, workflow, issue.id), { workflow, issue }, brake, { scope, at, unseen: false });
}

const unqueue = (sofar: Decision, workflow: WorkflowName, id: IssueId): Decision =>
  changeCandidate(sofar, workflow, id, () => null);

/**
 * Recorded before it is started: a crash between the two leaves a run that the next boot can find (I4 of
 * docs/ARCHITECTURE.md).
 */
function begin(sofar: Decision, lane: Lane, { issue, attempt, kind }: Start, at: Instant): Decision {
  const { workflow, hash, limits } = lane.policy;
  const tally = tallyOf(sofar.state, issue.id);
  const number = sofar.state.runsEver + 1;
  const run: Run = {
    id: runId(`r${number}`),
    issueId: issue.id,
    identifier: issue.identifier,
    workflow,
    attempt,
    kind,
    startedAt: at,
  };
  const claim: Running = {
    phase: "running",
    workflow,
    issue,
    run,
    step: "starting",
    thread: null,
    turns: 0,
    tokens: noTokens,
    threadTotal: tally.threadTotal,
    stateBefore: issue.state,
    landing: false,
    pulseAt: null,
    endBy: after(at, limits.maxRunMs),
    leave: null,
    seenDuring: scanUnderWay(lane),
    ending: null,
  };
  const unqueued = unqueue(sofar, workflow, issue.id);
  const trying =
    lane.hold === null ? unqueued : withHold(unqueued, workflow, { ...lane.hold, trial: run.id });
  const served = withLane(trying, workflow, (lane) => ({ ...lane, served: number, lookingSince: null }));
  const numbered = withState(served, { runsEver: number });
  const counted = count(numbered, issue.id, issue.identifier, { ...tally, runs: tally.runs + 1 });
  const claimed = put(counted, claim, at);
  const started = record(claimed, { type: "run_started", run, issue, workflowHash: hash });
  const cause = causeOf(tally, issue);
  const { state } = issue;
  const said = say(started, at, about(claim), { type: "claimed", state, attempt, kind, cause: cause.type });
  const { thread, fingerprint, told } = tally;
  const telling = { cause, told, state: stateToTell(tally, issue) };
  return work(said, { type: "start", run, issue, resume: thread, fingerprint, telling });
}

/** Lets go of a claim without a run (SPEC 7.1 "Released"); its counters stay. */
export function letGo(sofar: Decision, claim: Claim, why: string, at: Instant): Decision {
  const { id, identifier, state } = claim.issue;
  const tally = tallyOf(sofar.state, id);
  const last = seenLeft(tally, state, at);
  const seen = last === null ? sofar : count(sofar, id, identifier, { ...tally, last });
  return drop(say(seen, at, about(claim), { type: "released", why }), id, state);
}

/**
 * Whether a removal that was asked for may begin now. It may have stood in line for long: an issue that was taken up again
 * since keeps its workspace, and when it is done again its removal is asked for again.
 */
export const mayRemove = (state: State, id: IssueId): boolean => !state.claims.has(id);

/** The issue is done: its workspace goes, and with it the thread that knew it. */
export function removeWorkspace(
  sofar: Decision,
  { workflow, issue }: { readonly workflow: WorkflowName; readonly issue: Pick<Issue, "id" | "identifier"> },
): Decision {
  const tally = sofar.state.tallies.get(issue.id);
  const forgotten =
    tally === undefined ? sofar : count(sofar, issue.id, issue.identifier, withoutWorkspace(tally));
  return work(forgotten, { type: "remove", workflow, issueId: issue.id, identifier: issue.identifier });
}
