/**
 * The ledger port: what the daemon writes down and what the read commands ask. ledger/sqlite.ts is the real thing,
 * ledger/memory.ts a full fake; test/contract/ledger-suite.ts holds the cases both must pass. Synchronous on purpose:
 * when `commit` returns, the records are on disk (C1 of docs/RELIABILITY.md), and no other event can slip in between.
 */
import type {
  Ending,
  Fact,
  Instant,
  IssueId,
  Outcome,
  PauseScope,
  RunId,
  RunKind,
  ThreadId,
  Tokens,
  WaitingOrder,
  WorkflowName,
} from "../domain/domain.ts";
import type { Claim, Hold, LedgerRecord, Pause, Refusal, Spent, Tally } from "../scheduler/scheduler.ts";

export interface Ledger {
  /**
   * All records and facts of one step, or of several, in one transaction, on disk when it returns. Repeating a record changes nothing;
   * a run that has ended takes no further news. @throws LedgerError: nothing was written; stop the daemon.
   */
  commit(records: readonly LedgerRecord[], facts: readonly Fact[]): void;

  /**
   * Facts that decide nothing (items, hooks, log-like): buffered, written in batches at most a second later, and always
   * before what is committed or asked after them. Never throws: what cannot be written waits, within bounds.
   */
  append(fact: Fact): void;

  /** Writes what is buffered. @throws LedgerError: the facts stay buffered. */
  flush(): void;

  /** Orders that were given and not obeyed yet, oldest first. Cheap when there is none. */
  orders(): readonly WaitingOrder[];

  /** Keeps a workflow's text, once per hash. @throws LedgerError */
  keepWorkflow(hash: string, path: string, text: string, at: Instant): void;

  /**
   * Forgets history older than `before`, at most `rowsMax` rows of each of its tables (`agedBy` in schema/tables.ts), the
   * oldest first. What holds, counts and bounds is kept for good: claims, tallies, runs, turns, token marks. Returns how
   * many rows are gone; fewer than `rowsMax` says that there are no more. @throws LedgerError
   */
  prune(before: Instant, rowsMax: number): number;

  /** Upkeep that never waits for anybody: moves the log into the database, and looks after the statistics. Never throws. */
  tidy(): Tidied;

  /**
   * Looks at the next rows of those that the start has not looked at, at most `rowsMax`: what is wrong with them, in words.
   * Null = this life has looked at everything. @throws LedgerError
   */
  look(rowsMax: number): readonly string[] | null;

  /** The name of this ledger, see `Saved`. */
  installation(): string;

  /** Everything a start needs. */
  load(): Saved;

  /** Newest first. */
  runs(filter: RunFilter): readonly RunRow[];

  /** One run by id, or by a prefix of at least four characters that fits only one. */
  run(id: string): RunRow | null;

  /** What happened in these runs: the last `limit` rows, oldest first. */
  timeline(runIds: readonly RunId[], limit: number): readonly TimelineRow[];

  /** What each turn of a run was given, in order. */
  told(run: RunId): readonly ToldRow[];

  /** What happened to this issue apart from its runs: the last `limit` rows, oldest first. */
  besides(issue: IssueId, limit: number): readonly TimelineRow[];

  /** What happened apart from any run since then: the last `limit` rows, oldest first. */
  lately(since: Instant, limit: number): readonly TimelineRow[];

  /** The most that this thread has ever reported; none when it is not known. */
  mark(thread: ThreadId): Tokens;

  /**
   * The text of the workflow file at this path that was kept under `hash`, else the one that was first seen last; null = none
   * was kept. Secrets that stood in it are taken out.
   */
  workflowText(path: string, hash: string | null): WorkflowText | null;

  /** The issue with this identifier or id, as last recorded. */
  issue(identifierOrId: string): IssueRow | null;

  /** Flushes and closes; idempotent. @throws LedgerError after closing, when the last facts could not be written. */
  close(): void;
}

export interface Tidied {
  /** What the write-ahead log takes now; it stays large only while another program keeps a read transaction open. */
  readonly logBytes: number;
}

export interface Saved {
  readonly claims: readonly Claim[];
  readonly tallies: ReadonlyMap<IssueId, Tally>;
  /** Made once with the ledger, random: tells this installation's processes from those of others on the machine. */
  readonly installation: string;
  /** Highest number of a run id (`r<number>`), 0 when there is none. */
  readonly runsEver: number;
  readonly holds: ReadonlyMap<WorkflowName, Hold>;
  readonly pauses: ReadonlyMap<PauseScope, Pause>;
  /** Candidates that may not start, as they were when they were last looked at. */
  readonly refusals: ReadonlyMap<WorkflowName, ReadonlyMap<IssueId, Refusal>>;
  /** The newest day on which tokens were used, and how many. */
  readonly spent: Spent;
  /** Runs without an ending: the last process died under them. */
  readonly open: readonly OpenRun[];
}

export interface OpenRun {
  readonly runId: RunId;
  readonly issueId: IssueId;
  readonly identifier: string;
  readonly workflow: WorkflowName;
  readonly startedAt: Instant;
  readonly pid: number | null;
  readonly startTicks: number | null;
  /** Of the boot in which the process was started: pids and ticks begin again with each. */
  readonly bootId: string | null;
  readonly workspace: string | null;
  readonly thread: ThreadId | null;
  readonly turns: number;
  readonly tokens: Tokens;
  /** High-water mark of the thread. */
  readonly threadTotal: Tokens;
}

export interface RunFilter {
  /** Identifier or id of the issue. */
  readonly issue?: string;
  readonly workflow?: string;
  readonly outcome?: Outcome | "running";
  readonly limit: number;
}

export interface RunRow {
  readonly id: RunId;
  readonly workflow: WorkflowName;
  readonly issueId: IssueId;
  readonly identifier: string;
  readonly title: string;
  readonly attempt: number | null;
  readonly kind: RunKind;
  /** Null while the run is open. */
  readonly ending: Ending | null;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly turns: number;
  readonly thread: ThreadId | null;
  readonly workspace: string | null;
  readonly tokens: Tokens;
  readonly workflowHash: string;
}

export interface TimelineRow {
  readonly at: Instant;
  readonly runId: RunId | null;
  readonly fact: Fact;
}

export interface ToldRow {
  /** Of the turn, from 1 in each run. */
  readonly turn: number;
  readonly at: Instant;
  /** Null = not known, or not kept any more. */
  readonly text: string | null;
}

export interface WorkflowText {
  /** Of the file as it was. */
  readonly hash: string;
  readonly text: string;
}

export interface IssueRow {
  readonly issueId: IssueId;
  readonly identifier: string;
  /** As last seen; null = it was recorded by a version that kept none. */
  readonly title: string | null;
  readonly state: string | null;
  readonly url: string | null;
  readonly claim: Claim | null;
  readonly tally: Tally | null;
}

/** The questions without the writing: what the read commands open beside a running daemon. */
export type LedgerReader = Pick<
  Ledger,
  | "installation"
  | "load"
  | "orders"
  | "runs"
  | "run"
  | "timeline"
  | "told"
  | "besides"
  | "lately"
  | "mark"
  | "workflowText"
  | "issue"
  | "close"
>;
