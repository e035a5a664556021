/** Keys that are read and checked, and that this version cannot act on: said, so that nobody waits for them. */
import type { PolicySettings, ServerSettings } from "../domain/domain.ts";
import type { Findings } from "./findings.ts";

/** Why Codex asks for approval in vain; null = it does not. True for as long as there is nobody to ask. */
export function nobodyToAsk({ approvals }: PolicySettings): string | null {
  if (approvals.mode !== "operator") return null;
  const outcome =
    approvals.onTimeout === "park" ? "the run ends and the issue is parked" : "the agent is told no";
  return (
    `This version can ask nobody: an approval is answered at once, as if nobody had come, and ${outcome}. ` +
    "Set approvals.mode to auto or deny, or codex.approval_policy to never."
  );
}

/**
 * Warns of settings that somebody may rely on in vain. `isAskedFor`: that Codex asks follows from its approval policy
 * alone, since the file says nothing of `approvals.mode`.
 */
export function warnOfNotYet(
  server: ServerSettings,
  policy: PolicySettings,
  isAskedFor: boolean,
  findings: Findings,
): void {
  if (server.port !== null) findings.warn(["server", "port"], "This version has no server: nothing listens.");
  const unanswered = nobodyToAsk(policy);
  if (unanswered !== null)
    findings.warn(isAskedFor ? ["codex", "approval_policy"] : ["approvals", "mode"], unanswered);
  if (policy.questions.mode === "operator") {
    findings.warn(
      ["questions", "mode"],
      "This version can ask nobody: a question is answered at once, saying that nobody is there.",
    );
  }
}
