/**
 * Why something did not work, as data. `kind` is what programs branch on; `message` and `hint` are what people read.
 * Kinds of SPEC 5.5, 10.6 and 11.4 keep the specification's names.
 */

import type { Outcome } from "./run.ts";

export type FailureKind =
  // workflow and prompt (SPEC 5.5)
  | "template_parse_error"
  | "template_render_error"
  | "input_too_large"
  // workspace and hooks
  | "workspace_error"
  // the daemon of another installation works in it: says nothing about the issue
  | "workspace_in_use"
  | "hook_failed"
  | "hook_timeout"
  | "root_unusable"
  | "shell_timeout"
  // agent process and protocol (SPEC 10.6)
  | "codex_not_found"
  // it has not all that is needed of it: no run fails by this, it holds before one begins
  | "codex_unfit"
  | "invalid_workspace_cwd"
  | "response_timeout"
  | "response_error"
  // a thread of before was not there again: refused later than in words, mute, or the end of the process
  | "resume_failed"
  | "protocol_violation"
  | "port_exit"
  | "out_of_memory"
  | "turn_timeout"
  | "turn_failed"
  | "turn_cancelled"
  | "turn_input_required"
  | "approval_required"
  | "stalled"
  | "run_timeout"
  // what the model provider said (codexErrorInfo)
  | "usage_limit"
  | "rate_limited"
  | "unauthorized"
  | "model_not_found"
  | "context_window_exceeded"
  | "invalid_request"
  | "provider_overloaded"
  | "provider_unreachable"
  | "content_refused"
  // tracker, while a run needed it
  | "tracker_error"
  // our own doing
  | "shutdown"
  | "limit_reached"
  | "no_longer_eligible"
  | "lost"
  | "internal";

export interface Failure {
  readonly kind: FailureKind;
  /** One sentence, with the place where it went wrong. Never holds a secret: it is redacted before every sink. */
  readonly message: string;
  /** What a person can do about it; null when there is nothing to do but wait. */
  readonly hint: string | null;
  /** More for the reader, bounded (last lines of stderr, a server's answer); null when there is none. */
  readonly detail: string | null;
  /** When the provider said it would take work again; null when it said nothing. Milliseconds since the epoch. */
  readonly resetsAt: number | null;
}

/** Builds a failure; the optional parts default to null. */
export const failure = (
  kind: FailureKind,
  message: string,
  more: Partial<Omit<Failure, "kind" | "message">> = {},
): Failure => ({ kind, message, hint: null, detail: null, resetsAt: null, ...more });

/** What a failure of a kind means: whose it is, and how a run that ends by it has ended (SPEC 7.2). */
interface Meaning {
  /**
   * `issue`: counted against the issue. `provider`, `installation`: says nothing about the issue, so it holds dispatch
   * instead of using up attempts, unless the issue alone gets it (scheduler/holds.ts). `ours`: our own doing, never counted.
   */
  readonly scope: "issue" | "provider" | "installation" | "ours";
  readonly outcome: Exclude<Outcome, "completed">;
}

const failed = { scope: "issue", outcome: "failed" } as const;
const refused = { scope: "provider", outcome: "failed" } as const;
const broken = { scope: "installation", outcome: "failed" } as const;
const timedOut = { scope: "issue", outcome: "timed_out" } as const;
const canceled = { scope: "ours", outcome: "canceled" } as const;

const MEANINGS: Readonly<Record<FailureKind, Meaning>> = {
  // What fails for every ticket is refused with its file (workflow/prompt-trial.ts): this is one ticket's own.
  template_parse_error: failed,
  template_render_error: failed,
  input_too_large: failed,
  workspace_error: failed,
  workspace_in_use: { scope: "ours", outcome: "failed" },
  hook_failed: failed,
  hook_timeout: failed,
  root_unusable: broken,
  shell_timeout: broken,
  codex_not_found: broken,
  codex_unfit: broken,
  invalid_workspace_cwd: failed,
  response_timeout: failed,
  response_error: failed,
  resume_failed: failed,
  protocol_violation: failed,
  port_exit: failed,
  out_of_memory: failed,
  turn_timeout: timedOut,
  turn_failed: failed,
  turn_cancelled: failed,
  turn_input_required: failed,
  approval_required: failed,
  stalled: { scope: "issue", outcome: "stalled" },
  run_timeout: timedOut,
  usage_limit: refused,
  rate_limited: refused,
  unauthorized: refused,
  model_not_found: refused,
  context_window_exceeded: failed,
  invalid_request: failed,
  provider_overloaded: refused,
  provider_unreachable: refused,
  content_refused: failed,
  tracker_error: failed,
  shutdown: { scope: "ours", outcome: "interrupted" },
  limit_reached: canceled,
  no_longer_eligible: canceled,
  lost: { scope: "ours", outcome: "lost" },
  internal: failed,
};

/** Whether a word that was read somewhere is a kind of failure. */
export const isFailureKind = (word: string): word is FailureKind => Object.hasOwn(MEANINGS, word);

export const failureScope = (kind: FailureKind): Meaning["scope"] => MEANINGS[kind].scope;

/** The outcome of a run that ended by a failure of this kind. */
export const failureOutcome = (kind: FailureKind): Meaning["outcome"] => MEANINGS[kind].outcome;
