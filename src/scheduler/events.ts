/** Everything that can be said to the scheduler. Each event carries its time; news of a run names the run. */
import type {
  Failure,
  Instant,
  Issue,
  IssueId,
  IssueStatus,
  IssueSummary,
  OpenCount,
  Order,
  RunId,
  Said,
  ThreadId,
  Tokens,
  TurnId,
  WorkflowName,
} from "../domain/domain.ts";
import type { Pace, Policy } from "./state.ts";

/** What happens, before it has its time. */
export type News = LifeEvent | (Answered & TrackerEvent) | RunEvent;

/** When it happened; the loop puts it on what it is told. */
export interface Stamp {
  readonly at: Instant;
}

export type Event = Stamp & News;

type LifeEvent =
  /** Recovery is done; the first polls may go out. */
  | { readonly type: "began" }
  /** The alarm rang: some deadline of the state has passed. */
  | { readonly type: "woke" }
  /** A workflow was loaded, or reloaded with other settings. */
  | { readonly type: "configured"; readonly policy: Policy }
  /** A reload failed: the last good settings stay, nothing new is dispatched under them (SPEC 6.3). */
  | { readonly type: "misconfigured"; readonly workflow: WorkflowName; readonly error: string }
  /** A person's order. `number`: of the ledger's row, marked as done in the step that obeys it. */
  | {
      readonly type: "ordered";
      readonly number: number;
      readonly order: Order;
      /** It was there before this daemon was. */
      readonly isFromBefore?: boolean;
    }
  /** The disk was looked at: null = it takes work. */
  | { readonly type: "disk_checked"; readonly workflow: WorkflowName; readonly low: string | null }
  /** Codex was looked at. `lacks`: what it has not, and what a person can do; null = nothing, or it cannot be known. */
  | {
      readonly type: "examined";
      readonly workflow: WorkflowName;
      /** The `Policy.codexProgram` that was looked at. */
      readonly program: string;
      readonly lacks: { readonly why: string; readonly remedy: string } | null;
      /** False: another look at the same would show nothing new. */
      readonly again: boolean;
    }
  /** SIGTERM, SIGINT, SIGHUP. The second one does not wait. */
  | { readonly type: "stop_requested"; readonly why: string; readonly force: boolean };

/** An answer of the tracker, or that there was none. */
interface Answered {
  /** The `Policy.scope` under which it was asked; absent = the one in force. */
  readonly scope?: string;
}

/** An issue that was asked for by id and could not be read, although others could. */
export interface Unreadable {
  readonly id: IssueId;
  readonly error: string;
}

type TrackerEvent =
  | {
      readonly type: "polled";
      readonly workflow: WorkflowName;
      readonly candidates: readonly IssueSummary[];
      readonly tookMs: number;
      /** How often it may be asked from now on; absent = as often as anybody wishes. */
      readonly pace?: Pace;
    }
  /** Issues in active states, whatever their labels: only for people to see. */
  | { readonly type: "open_counted"; readonly workflow: WorkflowName; readonly open: OpenCount }
  | {
      readonly type: "scan_put_off";
      readonly workflow: WorkflowName;
      readonly pace: Pace;
    }
  | {
      readonly type: "poll_failed";
      readonly workflow: WorkflowName;
      readonly kind: string;
      readonly error: string;
      readonly retryAt: Instant | null;
    }
  | {
      readonly type: "refreshed";
      readonly workflow: WorkflowName;
      readonly ids: readonly IssueId[];
      readonly statuses: readonly IssueStatus[];
      /** Those of `ids` that nothing is known of; absent = none. */
      readonly unreadable?: readonly Unreadable[];
    }
  | {
      readonly type: "refresh_failed";
      readonly workflow: WorkflowName;
      readonly kind: string;
      readonly error: string;
    }
  | {
      readonly type: "revalidated";
      readonly workflow: WorkflowName;
      readonly ids: readonly IssueId[];
      readonly issues: readonly Issue[];
      /** Those of `ids` that nothing is known of; absent = none. */
      readonly unreadable?: readonly Unreadable[];
    }
  | {
      readonly type: "revalidation_failed";
      readonly workflow: WorkflowName;
      readonly kind: string;
      readonly error: string;
      readonly retryAt: Instant | null;
    }
  /** Nothing was found out about the issues that were to be looked at, and the tracker is well: they are looked at later. */
  | {
      readonly type: "look_put_off";
      readonly workflow: WorkflowName;
      /** Not before; null = at once. */
      readonly until: Instant | null;
      /** In words. */
      readonly why: string;
    }
  /** The sweep found workspaces of issues that are finished, put away, or have not been seen for long. */
  | {
      readonly type: "leftovers_found";
      readonly workflow: WorkflowName;
      /** Without a state: the tracker does not show it any more. */
      readonly issues: readonly (Pick<IssueSummary, "id" | "identifier"> &
        Partial<Pick<IssueSummary, "state">>)[];
    };

/** News of a run. Late news, of a run that is over, is ignored by comparison of ids. */
export type RunEvent = { readonly runId: RunId; readonly issueId: IssueId } & RunNews;

/** What there is to say of a run, by whoever knows which one it is. */
export type RunNews =
  | {
      readonly type: "launched";
      readonly pid: number;
      readonly startTicks: number | null;
      readonly bootId: string | null;
      readonly workspace: string;
    }
  | {
      readonly type: "opened";
      readonly threadId: ThreadId;
      readonly resumed: boolean;
      readonly why: string | null;
    }
  /** `said`: what the turn was given; absent = not known. */
  | { readonly type: "turn_started"; readonly turnId: TurnId; readonly said?: Said }
  | {
      readonly type: "turn_ended";
      readonly turnId: TurnId | null;
      readonly status: "completed" | "failed" | "interrupted";
      readonly failure: Failure | null;
      readonly message: string | null;
    }
  /** The refresh between two turns: null = the issue is no longer visible. */
  | ({ readonly type: "checked"; readonly status: IssueStatus | null } & Answered)
  | ({ readonly type: "check_failed"; readonly failure: Failure } & Answered)
  /**
   * What a thread of the run's session has used so far, all runs together. `known`: of another thread than the run's own,
   * how much of it is in the ledger; a later session may go on with it, and its total counts from the first.
   */
  | {
      readonly type: "usage";
      readonly threadId: ThreadId;
      readonly total: Tokens;
      readonly known?: Tokens;
    }
  /** When the agent was last heard, and what it may be silent over. */
  | {
      readonly type: "pulse";
      readonly signAt: Instant;
      readonly openCommands: number;
      readonly openCalls: number;
    }
  /** The process group is gone and `after_run` has run. Always last, exactly once. */
  | {
      readonly type: "exited";
      readonly failure: Failure | null;
      /** Whether the workspace is not as it was before the run; null = nobody could tell. */
      readonly changed: boolean | null;
      /** The workspace as it is now; absent or null = it was not looked at. */
      readonly fingerprint?: string | null;
    };

/** One kind of news of a run, with its time. */
export type NewsOf<T extends RunEvent["type"]> = Stamp & Extract<RunEvent, { type: T }>;
