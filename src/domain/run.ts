/** One attempt at one issue, and what it used. */
import type { Failure } from "./failure.ts";
import type { Instant } from "./time.ts";
import type { IssueId } from "./issue.ts";

export type RunId = string & { readonly __brand: "RunId" };
export const runId = (text: string): RunId => text as RunId;

/** Codex's own ids, kept opaque. */
export type ThreadId = string & { readonly __brand: "ThreadId" };
export const threadId = (text: string): ThreadId => text as ThreadId;
export type TurnId = string & { readonly __brand: "TurnId" };
export const turnId = (text: string): TurnId => text as TurnId;

/** `name` of a workflow: unique in one daemon. */
export type WorkflowName = string & { readonly __brand: "WorkflowName" };
export const workflowName = (text: string): WorkflowName => text as WorkflowName;

/** Why this run exists: the issue is new to us, its last run ended well but the issue is still active, or it failed. */
export type RunKind = "first" | "continuation" | "retry";

export interface Run {
  readonly id: RunId;
  readonly issueId: IssueId;
  readonly identifier: string;
  readonly workflow: WorkflowName;
  /** null for the first run, then 1, 2, ... (SPEC 4.1.5); the template variable of the same name. */
  readonly attempt: number | null;
  readonly kind: RunKind;
  readonly startedAt: Instant;
}

/** How a run ended. Exactly one per run (I5 of docs/ARCHITECTURE.md). `lost`: the daemon died under it. */
export type Outcome = "completed" | "failed" | "timed_out" | "stalled" | "canceled" | "interrupted" | "lost";

/** The outcome with its reason: `failure` is set for everything but `completed`. */
export interface Ending {
  readonly outcome: Outcome;
  readonly failure: Failure | null;
  /** What let no further turn begin although its issue may go on (a pause, a drain, a hold); absent = nothing did. */
  readonly gate?: string;
}

/** What a run's agent does just now: a command, or a call of a tool, of an MCP server, of another agent. */
export interface UnderWay {
  readonly what: string;
  readonly since: Instant;
}

/** Token counts of one thread or a sum over threads. `input` includes `cachedInput`; `output` includes `reasoningOutput`. */
export interface Tokens {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly reasoningOutput: number;
  readonly total: number;
}

export const noTokens: Tokens = { input: 0, cachedInput: 0, output: 0, reasoningOutput: 0, total: 0 };

const byField = (a: Tokens, b: Tokens, f: (x: number, y: number) => number): Tokens => ({
  input: f(a.input, b.input),
  cachedInput: f(a.cachedInput, b.cachedInput),
  output: f(a.output, b.output),
  reasoningOutput: f(a.reasoningOutput, b.reasoningOutput),
  total: f(a.total, b.total),
});

/** Fields' sums. */
export const addTokens = (a: Tokens, b: Tokens): Tokens => byField(a, b, (x, y) => x + y);

/** High-water mark: a thread's reported total may repeat or shrink, its spend may not (I6). */
export const highWater = (a: Tokens, b: Tokens): Tokens => byField(a, b, Math.max);

/** What `now` has on top of `before`, never negative. */
export const spentSince = (now: Tokens, before: Tokens): Tokens =>
  byField(now, before, (x, y) => Math.max(0, x - y));
