/**
 * Why something did not work, as data. `kind` is what programs branch on; `message` and `hint` are what people read.
 * Kinds of SPEC 5.5, 10.6 and 11.4 keep the specification's names.
 */

export type FailureKind =
  // workflow and prompt (SPEC 5.5)
  | "template_parse_error"
  | "template_render_error"
  | "input_too_large"
  // workspace and hooks
  | "workspace_error"
  | "hook_failed"
  | "hook_timeout"
  // agent process and protocol (SPEC 10.6)
  | "codex_not_found"
  | "invalid_workspace_cwd"
  | "response_timeout"
  | "response_error"
  | "protocol_violation"
  | "port_exit"
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

/**
 * What a failure of this kind means for the issue. `provider` failures say nothing about the issue, so they hold
 * dispatch instead of using up the attempts (users.md, rank 4).
 */
export function failureScope(kind: FailureKind): "issue" | "provider" | "ours" {
  switch (kind) {
    case "usage_limit":
    case "rate_limited":
    case "unauthorized":
    case "model_not_found":
      return "provider";
    case "shutdown":
    case "limit_reached":
    case "no_longer_eligible":
    case "lost":
      return "ours";
    case "template_parse_error":
    case "template_render_error":
    case "input_too_large":
    case "workspace_error":
    case "hook_failed":
    case "hook_timeout":
    case "codex_not_found":
    case "invalid_workspace_cwd":
    case "response_timeout":
    case "response_error":
    case "protocol_violation":
    case "port_exit":
    case "turn_timeout":
    case "turn_failed":
    case "turn_cancelled":
    case "turn_input_required":
    case "approval_required":
    case "stalled":
    case "run_timeout":
    case "context_window_exceeded":
    case "provider_overloaded":
    case "provider_unreachable":
    case "content_refused":
    case "tracker_error":
    case "internal":
      return "issue";
  }
}
