/**
 * The ledger port: what the daemon writes down and what the read commands ask. ledger/sqlite.ts is the real thing,
 * ledger/memory.ts a full fake; test/contract/ledger-suite.ts holds the cases both must pass. Synchronous on purpose:
 * when `commit` returns, the records are on disk (C1), and no other event can slip in between.
 */
import type { Fact } from "../domain/fact.ts";
import type { IssueId } from "../domain/issue.ts";
import type { Ending, Outcome, RunId, RunKind, ThreadId, Tokens, WorkflowName } from "../domain/run.ts";
import type { Instant } from "../domain/time.ts";
import type { LedgerRecord } from "../scheduler/effects.ts";
import type { Claim, Tally } from "../scheduler/state.ts";

export interface Ledger {
  /** All of a step's records and facts in one transaction, on disk when it returns. @throws LedgerError: stop the daemon. */
  commit(records: readonly LedgerRecord[], facts: readonly Fact[]): void;

  /** Facts that decide nothing (items, hooks, log-like): buffered, written in batches at most a second later. */
  append(fact: Fact): void;

  /** Writes what is buffered. */
  flush(): void;

  /** Keeps a workflow's text, once per hash. */
  keepWorkflow(hash: string, path: string, text: string, at: Instant): void;

  /** Everything a start needs. */
  load(): Saved;

  /** Newest first. */
  runs(filter: RunFilter): readonly RunRow[];

  /** One run by id, or by a prefix of at least four characters that fits only one. */
  run(id: string): RunRow | null;

  /** What happened in these runs, oldest first. */
  timeline(runIds: readonly RunId[], limit: number): readonly TimelineRow[];

  /** The issue with this identifier or id, as last recorded. */
  issue(identifierOrId: string): IssueRow | null;

  /** Flushes and closes; idempotent. */
  close(): void;
}

export interface Saved {
  readonly claims: readonly Claim[];
  readonly tallies: ReadonlyMap<IssueId, Tally>;
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
  readonly workspace: string | null;
  readonly thread: ThreadId | null;
  readonly turns: number;
  readonly tokens: Tokens;
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

export interface IssueRow {
  readonly issueId: IssueId;
  readonly identifier: string;
  readonly claim: Claim | null;
  readonly tally: Tally | null;
}

/** The one error of this boundary: where, what SQLite said, what to do. */
export class LedgerError extends Error {
  readonly path: string;

  constructor(path: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "LedgerError";
    this.path = path;
  }
}
