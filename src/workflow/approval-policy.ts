/** `codex.approval_policy`: when Codex asks before it acts. */
import type { CodexValue } from "../domain/domain.ts";
import { isCodexValue, isMap, list, plain, spelled, type ValueMap } from "./codex-words.ts";
import { type Findings, type KeyPath, shown } from "./findings.ts";

const POLICY_KEY: KeyPath = ["codex", "approval_policy"];
const POLICIES = ["never", "on-request", "untrusted"];
const GRANULAR_REQUIRED = ["sandbox_approval", "rules", "mcp_elicitations"];
const GRANULAR_OPTIONAL = ["skill_approval", "request_permissions"];
const POLICIES_HINT = `Codex takes ${list(POLICIES)}, or \`granular:\` with ${list(GRANULAR_REQUIRED)} each true (ask) or false (refuse).`;

/** Codex's AskForApproval. Nobody sits beside the agent, so the default is `never`. */
export function approvalPolicy(value: unknown, findings: Findings): CodexValue {
  if (value === undefined) return "never";
  if (typeof value === "string") return namedPolicy(value, findings);
  if (isMap(value) && Object.keys(value).length === 1) {
    if (isMap(value["granular"])) return granular(value["granular"], findings);
    if (isMap(value["reject"])) return granularFromReject(value["reject"], findings);
  }
  findings.problem(POLICY_KEY, `${shown(value)} is not an approval policy. ${POLICIES_HINT}`);
  return "never";
}

function namedPolicy(value: string, findings: Findings): CodexValue {
  // Codex's older name of the same policy.
  const right = plain(value) === "unlesstrusted" ? "untrusted" : spelled(value, POLICIES);
  if (right === null) findings.problem(POLICY_KEY, `${shown(value)} is not known to Codex. ${POLICIES_HINT}`);
  else if (right !== value)
    findings.warn(POLICY_KEY, `${shown(value)} is taken as \`${right}\`; write it so.`);
  return right ?? "never";
}

function granular(flags: ValueMap, findings: Findings): CodexValue {
  const known = [...GRANULAR_REQUIRED, ...GRANULAR_OPTIONAL];
  const wrong = known.filter(
    (name) => (GRANULAR_REQUIRED.includes(name) || name in flags) && typeof flags[name] !== "boolean",
  );
  if (wrong.length > 0)
    findings.problem(POLICY_KEY, `granular needs ${list(wrong)} as true or false. ${POLICIES_HINT}`);
  warnOfExtras(POLICY_KEY, flags, known, findings);
  const taken = Object.entries(flags).map(
    ([name, flag]) => [name, isCodexValue(flag) ? flag : null] as const,
  );
  return { granular: Object.fromEntries(taken) };
}

/** `reject` was the same switch the other way round: true meant "refuse without asking". */
function granularFromReject(flags: ValueMap, findings: Findings): CodexValue {
  const entries = Object.entries(flags);
  const certain =
    GRANULAR_REQUIRED.every((name) => name in flags) &&
    entries.every(
      ([name, value]) =>
        [...GRANULAR_REQUIRED, ...GRANULAR_OPTIONAL].includes(name) && typeof value === "boolean",
    );
  if (!certain) {
    findings.problem(
      POLICY_KEY,
      `\`reject\` is gone from Codex. ${POLICIES_HINT} To refuse everything, write \`never\`.`,
    );
    return "never";
  }
  const asked = Object.fromEntries(entries.map(([name, refused]) => [name, refused !== true]));
  findings.warn(
    POLICY_KEY,
    `\`reject\` is gone from Codex; taken as ${shown({ granular: asked })}. Write that, or \`never\`.`,
  );
  return { granular: asked };
}

function warnOfExtras(key: KeyPath, value: ValueMap, known: readonly string[], findings: Findings): void {
  for (const name of Object.keys(value).filter((given) => !known.includes(given)))
    findings.warn([...key, name], "Codex does not read this.");
}
