/**
 * What one step comes to, and everything the scheduler can ask for. Records are what the ledger keeps; each piece of work
 * is one line in daemon/runners.ts.
 */
import type {
  Cause,
  Ending,
  Fact,
  Failure,
  Instant,
  Issue,
  IssueId,
  PauseScope,
  Run,
  RunId,
  ThreadId,
  Told,
  Tokens,
  TurnId,
  WorkflowName,
} from "../domain/domain.ts";
import type { Claim, Hold, Pause, Refusal, State } from "./state.ts";
import type { Tally } from "./tally.ts";

/** What one step comes to. Each list is in order; between the lists, what must be true before what. */
export interface Decision {
  /** What is known from now on. After a crash it is what the records say. */
  readonly state: State;
  /** Written down in one transaction before anything is told or done. */
  readonly records: readonly LedgerRecord[];
  /** What happened: rows of the same transaction, and published after it (C1 of docs/RELIABILITY.md). */
  readonly facts: readonly Fact[];
  /** Done outside, after all records are on disk and the facts are published (I4 of docs/ARCHITECTURE.md). */
  readonly work: readonly Work[];
}

/** What is written down. Each is an upsert or an insert that may be repeated. */
export type LedgerRecord =
  | { readonly type: "claim"; readonly claim: Claim; readonly at: Instant }
  /** `state`: of the issue as it was seen last; absent = as it was claimed. */
  | { readonly type: "unclaim"; readonly issueId: IssueId; readonly state?: string }
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
      /** What it was given; absent = not known. */
      readonly text?: string;
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
  /** All that are known of a workflow, in place of those before. */
  | {
      readonly type: "refusals";
      readonly workflow: WorkflowName;
      readonly refusals: ReadonlyMap<IssueId, Refusal>;
    }
  | { readonly type: "pause"; readonly scope: PauseScope; readonly pause: Pause | null }
  | { readonly type: "order_done"; readonly number: number; readonly answer: string; readonly at: Instant }
  | {
      readonly type: "run_ended";
      readonly runId: RunId;
      readonly ending: Ending;
      readonly turns: number;
      readonly tokens: Tokens;
      readonly at: Instant;
    };

/** Something that a tracker is asked. */
interface Question {
  readonly workflow: WorkflowName;
  /** The `Policy.scope` in force; its answer comes back with it. */
  readonly scope: string;
}

interface ById extends Question {
  /** Those of the ids that could not be read the last time: each is asked for by itself. */
  readonly apart: readonly IssueId[];
}

export type Work =
  /** Scan; then ask by id for those of these running issues that the scan left out, or for all when it failed. */
  | ({ readonly type: "poll"; readonly running: readonly IssueId[] } & ById)
  | ({
      readonly type: "revalidate";
      readonly ids: readonly IssueId[];
      /** All of them were refused before and have their turn: nothing is known to have changed. */
      readonly isAgain?: true;
    } & ById)
  | ({ readonly type: "sweep" } & Question)
  /** Look whether the Codex that the workflow's command starts has what is needed. */
  | { readonly type: "examine"; readonly workflow: WorkflowName; readonly program: string }
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
      readonly telling: Telling;
    }
  | {
      readonly type: "turn";
      readonly runId: RunId;
      readonly turn: number;
      readonly turnsMax: number;
      /** As last seen: its texts as they were when the run began. */
      readonly issue: Issue;
    }
  /** Refresh the issue between two turns. */
  | ({ readonly type: "check"; readonly runId: RunId; readonly issueId: IssueId } & Question)
  | { readonly type: "pulse"; readonly runId: RunId }
  /** Tell the running turn to come to an end: so many of so many tokens are used up. */
  | { readonly type: "steer"; readonly runId: RunId; readonly used: number; readonly max: number }
  /**
   * End the run: normally (null), or because of something. `exited` will answer. `survey`: look at the workspace, because
   * whether this run changed anything decides what follows; it costs too much to do without need.
   */
  | { readonly type: "stop"; readonly runId: RunId; readonly why: Failure | null; readonly survey: boolean }
  /** Everything is down, or patience is over: end the process. */
  | { readonly type: "exit"; readonly clean: boolean };

/** What decides whether a turn gets the whole prompt, or guidance to go on. */
export interface Telling {
  readonly cause: Cause;
  /** The prompt that was told last; null = none was. */
  readonly told: Told | null;
  /** The issue's state in which prompts are compared. */
  readonly state: string;
}
