/** Rows as they are read, and the values they stand for. */
import {
  instant,
  issueId,
  type Outcome,
  runId,
  type RunKind,
  threadId,
  type ThreadId,
  type Tokens,
  workflowName,
} from "../domain/domain.ts";
import type { Tally } from "../scheduler/scheduler.ts";
import type { OpenRun, RunRow } from "./port.ts";
import { parseFailure } from "./claim-text.ts";
import { type TokenColumns, tokensOf } from "./row.ts";
import { parseLast, parseTold } from "./tally-text.ts";

export interface RunColumns extends TokenColumns {
  readonly id: string;
  readonly issue_id: string;
  readonly identifier: string;
  readonly title: string;
  readonly workflow: string;
  readonly workflow_hash: string;
  readonly attempt: number | null;
  readonly kind: RunKind;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly outcome: Outcome | null;
  readonly failure: string | null;
  readonly pid: number | null;
  readonly start_ticks: number | null;
  readonly boot_id: string | null;
  readonly workspace: string | null;
  readonly thread_id: string | null;
  readonly turns: number;
}

export type TallyColumns = TokenColumns & {
  readonly issue_id: string;
  readonly runs: number;
  readonly failures: number;
  readonly idle: number;
  readonly fingerprint: string | null;
  readonly extra_runs: number;
  readonly extra_tokens: number;
  readonly thread_id: string | null;
  readonly thread_failures: number;
  readonly told: string | null;
  readonly last_run: string | null;
} & { readonly [Name in keyof TokenColumns as `thread_${Name}`]: number };

const threadOf = (id: string | null): ThreadId | null => (id === null ? null : threadId(id));

export const runRowOf = (row: RunColumns): RunRow => ({
  id: runId(row.id),
  workflow: workflowName(row.workflow),
  issueId: issueId(row.issue_id),
  identifier: row.identifier,
  title: row.title,
  attempt: row.attempt,
  kind: row.kind,
  ending:
    row.outcome === null
      ? null
      : { outcome: row.outcome, failure: row.failure === null ? null : parseFailure(row.failure) },
  startedAt: instant(row.started_at),
  endedAt: row.ended_at === null ? null : instant(row.ended_at),
  turns: row.turns,
  thread: threadOf(row.thread_id),
  workspace: row.workspace,
  tokens: tokensOf(row),
  workflowHash: row.workflow_hash,
});

export const openRunOf = (row: RunColumns, threadTotal: Tokens): OpenRun => ({
  runId: runId(row.id),
  issueId: issueId(row.issue_id),
  identifier: row.identifier,
  workflow: workflowName(row.workflow),
  startedAt: instant(row.started_at),
  pid: row.pid,
  startTicks: row.start_ticks,
  bootId: row.boot_id,
  workspace: row.workspace,
  thread: threadOf(row.thread_id),
  turns: row.turns,
  tokens: tokensOf(row),
  threadTotal,
});

export const tallyOf = (row: TallyColumns): Tally => ({
  runs: row.runs,
  failures: row.failures,
  idle: row.idle,
  fingerprint: row.fingerprint,
  extraRuns: row.extra_runs,
  extraTokens: row.extra_tokens,
  tokens: tokensOf(row),
  thread: threadOf(row.thread_id),
  threadTotal: tokensOf({
    input_tokens: row.thread_input_tokens,
    cached_input_tokens: row.thread_cached_input_tokens,
    output_tokens: row.thread_output_tokens,
    reasoning_output_tokens: row.thread_reasoning_output_tokens,
    total_tokens: row.thread_total_tokens,
  }),
  threadFailures: row.thread_failures,
  told: parseTold(row.told),
  last: parseLast(row.last_run),
});
