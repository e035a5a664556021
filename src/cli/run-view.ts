/** A run as `--json` shows it: snake_case as in SPEC.md, times in ISO 8601, `running` for a run without an outcome. */
import type { Instant, Outcome, RunId, RunKind, Tokens } from "../domain/domain.ts";
import type { RunRow } from "../ledger/ledger.ts";
import { isoTime } from "../terminal/terminal.ts";

export interface TokensView {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
  readonly total_tokens: number;
}

export interface RunView {
  readonly id: string;
  readonly workflow: string;
  readonly issue_id: string;
  readonly issue_identifier: string;
  readonly attempt: number | null;
  readonly kind: RunKind;
  readonly outcome: Outcome | "running";
  /** A daemon works on it; false for a run that has ended, or whose daemon has. */
  readonly is_live: boolean;
  readonly error: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly turns: number;
  readonly thread_id: string | null;
  readonly workspace: string | null;
  readonly tokens: TokensView;
}

/** Nobody has written down how it ended. */
export const isOpen = ({ ending }: RunRow): boolean => ending === null;

export const outcomeOf = (row: RunRow): Outcome | "running" => row.ending?.outcome ?? "running";

/** What a person reads: without a daemon nothing runs, and the next start calls it lost. */
export const outcomeWord = (row: RunRow, isServed: boolean): Outcome | "running" | "cut short" =>
  row.ending?.outcome ?? (isServed ? "running" : "cut short");

export const runView = (row: RunRow, isServed = true): RunView => ({
  id: row.id,
  workflow: row.workflow,
  issue_id: row.issueId,
  issue_identifier: row.identifier,
  attempt: row.attempt,
  kind: row.kind,
  outcome: outcomeOf(row),
  is_live: row.ending === null && isServed,
  error: row.ending?.failure?.message ?? null,
  started_at: isoTime(row.startedAt),
  ended_at: isoTime(row.endedAt),
  turns: row.turns,
  thread_id: row.thread,
  workspace: row.workspace,
  tokens: tokensView(row.tokens),
});

/** How far the time of a run is counted that has no end. */
export interface Until {
  readonly now: Instant;
  /** Of runs that no daemon works on any more: their last sign of life. */
  readonly lastSigns?: ReadonlyMap<RunId, Instant>;
}

/** How long it took, or has taken so far. */
export const tookMs = ({ id, startedAt, endedAt }: RunRow, { now, lastSigns }: Until): number =>
  Math.max(0, (endedAt ?? lastSigns?.get(id) ?? now) - startedAt);

/** `first run`, `continuation`, `retry 2`. `hadRun`: the issue has had one, and begins again. */
export function kindWords(kind: RunKind, attempt: number | null, hadRun = false): string {
  switch (kind) {
    case "first":
      return hadRun ? "another run" : "first run";
    case "continuation":
      return "continuation";
    case "retry":
      return `retry ${attempt ?? 1}`;
  }
}

export const tokensView = (tokens: Tokens): TokensView => ({
  input_tokens: tokens.input,
  cached_input_tokens: tokens.cachedInput,
  output_tokens: tokens.output,
  reasoning_output_tokens: tokens.reasoningOutput,
  total_tokens: tokens.total,
});
