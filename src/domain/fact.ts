/**
 * The catalogue: every typed thing that can happen. Log lines, ledger event rows, the demo's progress and metrics are
 * all subscribers to these; nothing else is logged. A fact never carries a credential or an agent's text deltas.
 */
import type { Failure } from "./failure.ts";
import type { IssueId } from "./issue.ts";
import type { Ending, RunId, RunKind, ThreadId, Tokens, TurnId, WorkflowName } from "./run.ts";
import type { Cause } from "./telling.ts";
import type { Instant } from "./time.ts";

/** Whom a fact is about. Absent = the daemon as a whole. */
export interface Scope {
  readonly workflow?: WorkflowName;
  readonly issueId?: IssueId;
  readonly identifier?: string;
  readonly runId?: RunId;
  readonly threadId?: ThreadId;
  readonly turnId?: TurnId;
}

/** Why an issue is put aside until a person does something about it. */
export const PARK_REASONS = [
  "runs_exhausted",
  "tokens_exhausted",
  "failing",
  "no_progress",
  "needs_person",
] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

/** Issues in active states, whatever their labels. */
export interface OpenCount {
  readonly count: number;
  /** False: there are more, and they were not counted. */
  readonly isAll: boolean;
}

/** What a tracker is asked for: what there is, how running issues are, how those are that could start or go on. */
export type Asked = "scan" | "running" | "contenders";

/** What a scan comes to, once what it lists has been looked at. */
export interface ScanCounts {
  /** Null = not counted. */
  readonly open: OpenCount | null;
  /** With the labels and the assignee that are required. */
  readonly listed: number;
  readonly running: number;
  readonly waiting: number;
  readonly parked: number;
  /** Looked at and found not to be startable: blocked, nearly always. */
  readonly blocked: number;
  /** That nothing of their own keeps from starting. */
  readonly ready: number;
  /** What keeps those that are ready from starting; null = a slot will be free. */
  readonly gate: string | null;
}

export type FactBody =
  // the daemon
  | {
      readonly type: "daemon_started";
      readonly version: string;
      readonly pid: number;
      readonly workflows: readonly string[];
    }
  /** `runs`: how many were under way when the last process ended; absent in rows of versions that did not say. */
  | { readonly type: "survivors_ended"; readonly processes: number; readonly runs?: number }
  /** By the end of the last process. `issues`: those that are taken up again; the others are let go of. */
  | {
      readonly type: "runs_lost";
      readonly runs: number;
      readonly issues: readonly string[];
      readonly letGo: number;
    }
  | { readonly type: "daemon_stopping"; readonly why: string }
  | {
      readonly type: "daemon_stopped";
      readonly uptimeMs: number;
      /** The last complete scan of each workflow, by which is known what had gone right again; absent in rows of versions that did not say. */
      readonly scans?: readonly {
        readonly workflow: string;
        readonly at: Instant;
        readonly everyMs: number;
      }[];
    }
  | {
      readonly type: "workflow_loaded";
      readonly path: string;
      readonly hash: string;
      readonly warnings: readonly string[];
    }
  | { readonly type: "workflow_rejected"; readonly path: string; readonly error: string }
  // the tracker
  | { readonly type: "polled"; readonly candidates: number; readonly tookMs: number }
  /** What scans come to is another than it was. */
  | ({ readonly type: "scan_changed" } & ScanCounts)
  | {
      readonly type: "poll_failed";
      readonly kind: string;
      readonly error: string;
      readonly retryAt: Instant | null;
      /** How often it has failed by now, and since when; absent = this is the first time. */
      readonly times?: number;
      readonly since?: Instant;
    }
  /** How often the tracker's limits allow scans; `why` is null when that is as often as wished again. */
  | {
      readonly type: "scans_paced";
      readonly everyMs: number;
      readonly wishedMs: number;
      readonly why: string | null;
    }
  | {
      readonly type: "refresh_failed";
      /** Absent in rows of versions that told it of both alike. */
      readonly asked?: Exclude<Asked, "scan">;
      readonly kind: string;
      readonly error: string;
      readonly times?: number;
      readonly since?: Instant;
    }
  /** It had failed so often in a row. */
  | {
      readonly type: "tracker_answers";
      readonly asked: Asked;
      readonly times: number;
      readonly since: Instant;
    }
  | { readonly type: "tracker_rates"; readonly limits: Readonly<Record<string, number>> }
  | { readonly type: "tracker_record_rejected"; readonly error: string }
  // claims
  | {
      readonly type: "claimed";
      readonly state: string;
      readonly attempt: number | null;
      readonly kind: RunKind;
      /** Why it begins; absent in rows of versions that did not say. */
      readonly cause?: Cause["type"];
    }
  | {
      readonly type: "retry_scheduled";
      readonly retryAt: Instant;
      readonly attempt: number;
      readonly why: string;
    }
  /** Its time has come and there is no slot: which cap stands in the way. */
  | { readonly type: "slot_awaited"; readonly why: string }
  | { readonly type: "released"; readonly why: string }
  | { readonly type: "parked"; readonly reason: ParkReason; readonly why: string; readonly release: string }
  | { readonly type: "unparked"; readonly why: string }
  /** A person's release of what is not parked; of what is, `unparked` says it. */
  | { readonly type: "release_ordered"; readonly during: "running" | "waiting"; readonly why: string }
  | {
      readonly type: "held";
      readonly why: string;
      readonly until: Instant | null;
      /** Absent in rows of versions that knew no other than the provider. */
      readonly cause?: "provider" | "installation" | "systemic";
      /** What a person can do about it. */
      readonly remedy?: string;
    }
  | { readonly type: "hold_ended" }
  /** One run finds out at once whether a hold is over. `by`: no run does, but a look at Codex. */
  | { readonly type: "trial_due"; readonly because: string; readonly by?: "look" }
  /** Whether the Codex of a workflow has what is needed, where nothing is known that it lacks. */
  | {
      readonly type: "codex_examined";
      /** Null = it says none. */
      readonly version: string | null;
      /** Why it cannot be known; null = it has all. */
      readonly unknown: string | null;
    }
  /** A start finds that nothing may begin: a hold, or a pause, of long ago. */
  | {
      readonly type: "standing";
      readonly what: string;
      readonly why: string;
      readonly remedy: string;
      readonly since: Instant;
      readonly until: Instant | null;
    }
  | {
      readonly type: "paused";
      readonly what: string;
      readonly why: string;
      readonly until: Instant | null;
      /** It was paused already: since when, and for which reason. */
      readonly before?: { readonly why: string; readonly since: Instant };
    }
  | { readonly type: "resumed"; readonly what: string; readonly why: string }
  | { readonly type: "draining"; readonly why: string }
  | {
      readonly type: "day_limit_reached";
      readonly used: number;
      readonly max: number;
      readonly until: Instant;
    }
  | { readonly type: "disk_low"; readonly why: string }
  | { readonly type: "disk_ok" }
  | { readonly type: "agent_steered"; readonly used: number; readonly max: number }
  // runs
  | { readonly type: "run_started"; readonly attempt: number | null; readonly kind: RunKind }
  | { readonly type: "run_stopping"; readonly why: string }
  | {
      readonly type: "run_ended";
      readonly ending: Ending;
      readonly turns: number;
      readonly tokens: Tokens;
      readonly tookMs: number;
    }
  | { readonly type: "workspace_ready"; readonly path: string; readonly created: boolean }
  | {
      readonly type: "workspace_rescued";
      readonly path: string;
      readonly to: string;
      readonly files: number;
      readonly commits: number;
      readonly bytes: number;
    }
  | { readonly type: "workspace_removed"; readonly path: string }
  | {
      readonly type: "workspace_kept";
      readonly path: string;
      readonly error: string;
      /** Who tries again to remove it; absent = an earlier version wrote it. */
      readonly again?: "sweep" | "start";
    }
  | { readonly type: "hook_started"; readonly hook: string }
  | {
      readonly type: "hook_ran";
      readonly hook: string;
      readonly ok: boolean;
      readonly tookMs: number;
      readonly output: string;
      readonly error: string | null;
    }
  // the agent
  | { readonly type: "agent_launched"; readonly pid: number }
  | { readonly type: "thread_opened"; readonly resumed: boolean; readonly why: string | null }
  /** The next run begins a new one. */
  | { readonly type: "thread_given_up"; readonly thread: ThreadId; readonly why: string }
  | { readonly type: "turn_started"; readonly turn: number }
  | {
      readonly type: "turn_ended";
      readonly turn: number;
      readonly status: "completed" | "failed" | "interrupted";
      readonly failure: Failure | null;
      readonly message: string | null;
    }
  /** What the run has used so far, over all its turns. */
  | { readonly type: "usage"; readonly total: Tokens }
  | { readonly type: "rate_limits"; readonly limits: Readonly<Record<string, unknown>> }
  | {
      readonly type: "command_ran";
      readonly command: string;
      readonly status: string;
      readonly exitCode: number | null;
      readonly tookMs: number | null;
      readonly output: string;
    }
  | { readonly type: "files_changed"; readonly status: string; readonly paths: readonly string[] }
  | { readonly type: "agent_said"; readonly text: string }
  /**
   * A call that changes something outside is about to be made: in the ledger before it goes out. Without a `tool_called`
   * after it, nobody knows whether it was done.
   */
  | {
      readonly type: "tool_started";
      readonly tool: string;
      readonly callId: string;
      readonly operation: string | null;
      readonly fields: readonly string[];
      readonly ids: readonly string[];
      /** Of what it creates, chosen by us. */
      readonly newIds: readonly string[];
    }
  | {
      readonly type: "tool_called";
      readonly tool: string;
      readonly callId: string;
      readonly operation: string | null;
      readonly fields: readonly string[];
      readonly ids: readonly string[];
      readonly complexity: number | null;
      readonly ok: boolean;
      readonly error: string | null;
      readonly tookMs: number;
      /** It went out and was not answered: nobody knows whether it was done. */
      readonly unknown?: true;
    }
  | {
      readonly type: "request_answered";
      readonly method: string;
      readonly answer: string;
      readonly about: string;
    }
  | { readonly type: "agent_retrying"; readonly message: string; readonly detail: string | null }
  | { readonly type: "agent_warned"; readonly message: string }
  | { readonly type: "item"; readonly kind: string; readonly status: string; readonly summary: string }
  | { readonly type: "malformed"; readonly error: string; readonly line: string }
  | { readonly type: "unknown_message"; readonly method: string }
  // anything that must be seen and fits nowhere else
  /**
   * `topic`: what it is about (of this workflow, if it names one), where a later one about the same takes it back by being
   * `over`; absent = it stands for itself.
   */
  | {
      readonly type: "warning";
      readonly message: string;
      readonly topic?: "ledger" | "sweep" | UnreadableTopic;
      readonly over?: true;
    };

type UnreadableTopic = `unreadable ${string}`;

/** What a record that a list left out is called, until it is taken back; `error`: why it could not be read. */
export const unreadableTopic = (error: string): UnreadableTopic => `unreadable ${error}`;

export type Fact = FactBody & Scope & { readonly at: Instant };
export type FactType = FactBody["type"];
