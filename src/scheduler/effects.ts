/**
 * Everything the scheduler can ask for. Records and facts of a step are committed in one transaction before any other
 * effect of that step begins (I4); each of the others is one line in daemon/runners.ts.
 */
import type { Fact } from "../domain/fact.ts";
import type { Failure } from "../domain/failure.ts";
import type { Issue, IssueId } from "../domain/issue.ts";
import type { Ending, Run, RunId, ThreadId, Tokens, TurnId, WorkflowName } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import type { Claim, Hold, Pause, PauseScope, State, Tally } from "./state.ts";

export type Decision = readonly [State, readonly Effect[]];

export type Effect =
  | { readonly type: "record"; readonly record: LedgerRecord }
  /** Becomes an event row in the same transaction, and is published after it. */
  | { readonly type: "fact"; readonly fact: Fact }
  | Work;

/** What is written down. Each is an upsert or an insert that may be repeated. */
export type LedgerRecord =
  | { readonly type: "claim"; readonly claim: Claim; readonly at: Instant }
  | { readonly type: "unclaim"; readonly issueId: IssueId }
  | { readonly type: "tally"; readonly issueId: IssueId; readonly identifier: string; readonly tally: Tally }
  | { readonly type: "run_started"; readonly run: Run; readonly issue: Issue; readonly workflowHash: string }
  | {
      readonly type: "run_launched";
      readonly runId: RunId;
      readonly pid: number;
      readonly startTicks: number | null;
      readonly bootId: string | null;
      readonly workspace: string;
    }
  | {
      readonly type: "thread_opened";
      readonly runId: RunId;
      readonly threadId: ThreadId;
      readonly resumed: boolean;
    }
  | {
      readonly type: "turn_started";
      readonly runId: RunId;
      readonly turnId: TurnId;
      readonly threadId: ThreadId;
      readonly number: number;
      readonly at: Instant;
    }
  | {
      readonly type: "turn_ended";
      readonly runId: RunId;
      readonly turnId: TurnId;
      readonly status: "completed" | "failed" | "interrupted";
      readonly failure: Failure | null;
      readonly message: string | null;
      readonly at: Instant;
    }
  /** `total`: the thread's high-water mark; `run`: what this run has used so far. */
  | {
      readonly type: "usage";
      readonly runId: RunId;
      readonly issueId: IssueId;
      readonly threadId: ThreadId;
      readonly total: Tokens;
      readonly run: Tokens;
      readonly at: Instant;
    }
  | { readonly type: "hold"; readonly workflow: WorkflowName; readonly hold: Hold | null }
  | { readonly type: "pause"; readonly scope: PauseScope; readonly pause: Pause | null }
  | { readonly type: "command_done"; readonly command: number; readonly answer: string; readonly at: Instant }
  | {
      readonly type: "run_ended";
      readonly runId: RunId;
      readonly ending: Ending;
      readonly turns: number;
      readonly tokens: Tokens;
      readonly at: Instant;
    };

export type Work =
  /** Refresh these running issues, then scan (SPEC 8.1: reconcile before dispatch). */
  | { readonly type: "poll"; readonly workflow: WorkflowName; readonly running: readonly IssueId[] }
  | { readonly type: "revalidate"; readonly workflow: WorkflowName; readonly ids: readonly IssueId[] }
  | { readonly type: "sweep"; readonly workflow: WorkflowName }
  /** Remove the workspace of an issue that nobody works on. */
  | {
      readonly type: "remove";
      readonly workflow: WorkflowName;
      readonly issueId: IssueId;
      readonly identifier: string;
    }
  | {
      readonly type: "start";
      readonly run: Run;
      readonly issue: Issue;
      readonly resume: ThreadId | null;
      /** The workspace as the last surveyed run left it. */
      readonly fingerprint: string | null;
    }
  /** `prompt`: the rendered template. `guidance`: continuation guidance, the prompt is in the thread already. */
  | {
      readonly type: "turn";
      readonly runId: RunId;
      readonly text: "prompt" | "guidance";
      readonly turn: number;
      readonly turnsMax: number;
      readonly issue: Issue;
    }
  /** Refresh the issue between two turns. */
  | {
      readonly type: "check";
      readonly runId: RunId;
      readonly issueId: IssueId;
      readonly workflow: WorkflowName;
    }
  | { readonly type: "probe"; readonly runId: RunId }
  /** Tell the running turn to come to an end: so many of so many tokens are used up. */
  | { readonly type: "steer"; readonly runId: RunId; readonly used: number; readonly max: number }
  /**
   * End the run: normally (null), or because of something. `exited` will answer. `survey`: look at the workspace, because
   * whether this run changed anything decides what follows; it costs too much to do without need.
   */
  | { readonly type: "stop"; readonly runId: RunId; readonly why: Failure | null; readonly survey: boolean }
  /** Everything is down, or patience is over: end the process. */
  | { readonly type: "exit"; readonly clean: boolean };
