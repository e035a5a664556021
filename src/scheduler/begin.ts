/** The two ends of a claim: a run begins, or the issue is let go of. */
import type { Issue, IssueId } from "../domain/issue.ts";
import { noTokens, runId, type Run, type RunKind } from "../domain/run.ts";
import { after, type Instant } from "../domain/time.ts";
import { about, count, drop, put, record, say, tallyOf, withBoard, withHold, work } from "./change.ts";
import type { Decision } from "./effects.ts";
import { limitReached, park } from "./parking.ts";
import type { Board, Claim, Running } from "./state.ts";

/** What begins: an issue as the tracker has just shown it, and why it has another run. */
export interface Start {
  readonly issue: Issue;
  readonly attempt: number | null;
  readonly kind: RunKind;
}

/** Limits hold for every start: they may have been lowered since, or the issue was let go of and is back. */
export function beginWithin(d: Decision, board: Board, start: Start, at: Instant): Decision {
  const { policy } = board;
  const { issue } = start;
  const brake = limitReached(tallyOf(d[0], issue.id), policy);
  if (brake === null) return begin(d, board, start, at);
  const { workflow } = policy;
  const scope = { workflow, issueId: issue.id, identifier: issue.identifier };
  return park(unqueue(d, workflow, issue.id), { workflow, issue }, brake, { scope, at, unseen: false });
}

const unqueue = (d: Decision, workflow: Board["policy"]["workflow"], id: IssueId): Decision =>
  withBoard(d, workflow, (b) => ({ ...b, queue: b.queue.filter((c) => c.issue.id !== id) }));

/** Recorded before it is started: a crash between the two leaves a run that the next boot can find (I4). */
function begin(d: Decision, board: Board, { issue, attempt, kind }: Start, at: Instant): Decision {
  const { workflow, hash, runMaxMs } = board.policy;
  const tally = tallyOf(d[0], issue.id);
  const number = d[0].runsEver + 1;
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
    endBy: after(at, runMaxMs),
    leave: null,
    ending: null,
  };
  const unqueued = unqueue(d, workflow, issue.id);
  const probed =
    board.hold === null ? unqueued : withHold(unqueued, workflow, { ...board.hold, probe: run.id });
  const numbered: Decision = [{ ...probed[0], runsEver: number }, probed[1]];
  const counted = count(numbered, issue.id, issue.identifier, { ...tally, runs: tally.runs + 1 });
  const claimed = put(counted, claim, at);
  const started = record(claimed, { type: "run_started", run, issue, workflowHash: hash });
  const said = say(started, at, about(claim), { type: "claimed", state: issue.state, attempt, kind });
  return work(said, { type: "start", run, issue, resume: tally.thread, fingerprint: tally.fingerprint });
}

/** Lets go of a claim without a run (SPEC 7.1 "Released"); its counters stay. */
export const release = (d: Decision, claim: Claim, why: string, at: Instant): Decision =>
  drop(say(d, at, about(claim), { type: "released", why }), claim.issue.id);

/** The issue is done: its workspace goes, and with it the thread that knew it. */
export function removeWorkspace(
  d: Decision,
  { workflow, issue }: Pick<Claim, "workflow" | "issue">,
): Decision {
  const tally = tallyOf(d[0], issue.id);
  const forgotten = count(d, issue.id, issue.identifier, { ...tally, thread: null, threadTotal: noTokens });
  return work(forgotten, { type: "remove", workflow, issueId: issue.id, identifier: issue.identifier });
}
