/** The ways in which runs end badly, and the totals that agents report. */
import { failure, type Failure, type FailureKind } from "../../src/domain/failure.ts";
import { noTokens, type Tokens } from "../../src/domain/run.ts";
import type { Instant } from "../../src/domain/time.ts";
import type { Random } from "./random.ts";

type Kinds = readonly [FailureKind, ...FailureKind[]];

const WORKSPACE: Kinds = ["workspace_error", "hook_failed", "hook_timeout"];

const LAUNCH: Kinds = [
  "codex_not_found",
  "invalid_workspace_cwd",
  "response_timeout",
  "response_error",
  "port_exit",
  "shell_timeout",
  "root_unusable",
  "input_too_large",
];

const PROVIDER: Kinds = ["usage_limit", "rate_limited", "unauthorized", "model_not_found"];

const TURN: Kinds = [
  "turn_failed",
  "turn_failed",
  "turn_cancelled",
  "turn_timeout",
  "context_window_exceeded",
  "provider_overloaded",
  "provider_unreachable",
  "content_refused",
  "turn_input_required",
  "approval_required",
];

const DEATH: Kinds = ["port_exit", "protocol_violation", "internal", "stalled"];

const KINDS = { workspace: WORKSPACE, launch: LAUNCH, provider: PROVIDER, turn: TURN, death: DEATH };

/** One of the failures that happen at this point. */
export function mishap(at: keyof typeof KINDS, random: Random): Failure {
  const kind = random.pick(KINDS[at]);
  return failure(kind, `it was ${kind.replaceAll("_", " ")}`);
}

/** A reset in the past says nothing; `now` by the clock of who hears it. */
export const believable = (at: Instant | null, now: Instant): Instant | null =>
  at !== null && at > now ? at : null;

export const tokensOf = (total: number): Tokens => {
  const input = Math.floor(total * 0.9);
  return { ...noTokens, input, output: total - input, total };
};
