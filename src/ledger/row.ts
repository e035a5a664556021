/** Between domain values and columns: the parts several tables share. */
import { type Failure, noTokens, type Tokens } from "../domain/domain.ts";

export interface TokenColumns {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
  readonly total_tokens: number;
}

export const tokenNames = [
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
] as const satisfies readonly (keyof TokenColumns)[];

export const tokenColumns = (tokens: Tokens): TokenColumns => ({
  input_tokens: tokens.input,
  cached_input_tokens: tokens.cachedInput,
  output_tokens: tokens.output,
  reasoning_output_tokens: tokens.reasoningOutput,
  total_tokens: tokens.total,
});

export const noTokenColumns: TokenColumns = tokenColumns(noTokens);

export const tokensOf = (row: TokenColumns): Tokens => ({
  input: row.input_tokens,
  cachedInput: row.cached_input_tokens,
  output: row.output_tokens,
  reasoningOutput: row.reasoning_output_tokens,
  total: row.total_tokens,
});

export interface FailureColumns {
  readonly failure_kind: string | null;
  readonly error: string | null;
  readonly failure: string | null;
}

/** `failure_kind` and `error` are for people with SQL; `failure` is what is read back. */
export const failureColumns = (failure: Failure | null): FailureColumns => ({
  failure_kind: failure?.kind ?? null,
  error: failure?.message ?? null,
  failure: failure === null ? null : JSON.stringify(failure),
});
