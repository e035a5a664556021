/** Keys that are read and checked, and that this version cannot act on: said, so that nobody waits for them. */
import type { PolicySettings, ServerSettings } from "../domain/domain.ts";
import type { Findings } from "./findings.ts";

/** Warns of settings that somebody may rely on in vain. */
export function warnOfNotYet(server: ServerSettings, policy: PolicySettings, findings: Findings): void {
  if (server.port !== null) findings.warn(["server", "port"], "This version has no server: nothing listens.");
  const { onTimeout } = policy.approvals;
  const outcome = onTimeout === "park" ? "the run ends and the issue is parked" : "the agent is told no";
  if (policy.approvals.mode === "operator") {
    findings.warn(
      ["approvals", "mode"],
      `This version can ask nobody: an approval is answered at once, as if nobody had come, and ${outcome}.`,
    );
  }
  if (policy.questions.mode === "operator") {
    findings.warn(
      ["questions", "mode"],
      "This version can ask nobody: a question is answered at once, saying that nobody is there.",
    );
  }
}
