/** The brakes of one issue: which limit is used up, and the park that follows. */
import type { Instant, ParkReason, Scope } from "../domain/domain.ts";
import { put, say } from "./change.ts";
import type { Decision } from "./effects.ts";
import type { Claim, Parked, Policy } from "./state.ts";
import type { Tally } from "./tally.ts";

export interface Brake {
  readonly reason: ParkReason;
  /** One sentence for people. */
  readonly why: string;
}

/** Which of its limits the issue has used up; null = none. */
export function limitReached(tally: Tally, { limits }: Policy): Brake | null {
  const tokensMax = limits.maxTokensPerIssue + tally.extraTokens;
  if (tally.tokens.total >= tokensMax) {
    return {
      reason: "tokens_exhausted",
      why: `It used ${tally.tokens.total} of ${tokensMax} tokens (limits.max_tokens_per_issue).`,
    };
  }
  if (tally.idle >= limits.maxIdleRuns) {
    return {
      reason: "no_progress",
      why: `${tally.idle} runs in a row changed nothing (limits.max_idle_runs).`,
    };
  }
  if (tally.failures >= limits.maxFailures) {
    return { reason: "failing", why: `${tally.failures} runs in a row failed (limits.max_failures).` };
  }
  if (tally.runs >= limits.maxRunsPerIssue + tally.extraRuns) {
    return { reason: "runs_exhausted", why: `It had ${tally.runs} runs (limits.max_runs_per_issue).` };
  }
  return null;
}

/**
 * Puts an issue aside until a person does something about it. `unseen`: it was not looked at since its agent ended, so
 * that what looks different next is the agent's own doing.
 */
export function park(
  sofar: Decision,
  { workflow, issue }: Pick<Claim, "workflow" | "issue">,
  { reason, why }: Brake,
  { scope, at, unseen }: { readonly scope: Scope; readonly at: Instant; readonly unseen: boolean },
): Decision {
  const wayOut = `Move the issue to another state, take the dispatch label off and put it on again, or: baton release ${issue.identifier}`;
  const said = say(sofar, at, scope, { type: "parked", reason, why, release: wayOut });
  const parked: Parked = { phase: "parked", workflow, issue, reason, why, wayOut, since: at };
  return put(said, unseen ? { ...parked, unseen: true } : parked, at);
}
