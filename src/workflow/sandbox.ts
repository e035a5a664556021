/** `codex.thread_sandbox` and `codex.turn_sandbox_policy`: what the agent's commands may touch. */
import type { CodexValue } from "../domain/domain.ts";
import { isCodexValue, isMap, list, type PolicyMap, spelled } from "./codex-words.ts";
import { type Findings, type KeyPath, shown } from "./findings.ts";
import { expandPath, type Surroundings } from "./surroundings.ts";

const THREAD_KEY: KeyPath = ["codex", "thread_sandbox"];
const MODES = ["read-only", "workspace-write", "danger-full-access"];

/** Codex's SandboxMode. */
export function threadSandbox(value: unknown, findings: Findings): string {
  if (value === undefined) return "workspace-write";
  const word = typeof value === "string" ? value : onlyWord(value);
  const right = word === null ? null : spelled(word, MODES);
  if (right === null)
    findings.problem(
      THREAD_KEY,
      `${shown(value)} is not known to Codex. It takes ${list(MODES)}; details go to codex.turn_sandbox_policy.`,
    );
  else if (right !== value)
    findings.warn(THREAD_KEY, `${shown(value)} is taken as \`${right}\`; write it so.`);
  return right ?? "workspace-write";
}

/** The word in `{type: word}` or `{mode: word}` with nothing else in the map. */
function onlyWord(value: unknown): string | null {
  if (!isMap(value) || Object.keys(value).length !== 1) return null;
  const word = value["type"] ?? value["mode"];
  return typeof word === "string" ? word : null;
}

const TURN_KEY: KeyPath = ["codex", "turn_sandbox_policy"];
const FLAG = "true or false";
const NETWORK = "`enabled` or `restricted`";

/** What each of Codex's SandboxPolicy types may carry. */
const TURN_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  readOnly: { networkAccess: FLAG },
  workspaceWrite: {
    writableRoots: "a list of absolute paths",
    networkAccess: FLAG,
    excludeTmpdirEnvVar: FLAG,
    excludeSlashTmp: FLAG,
  },
  dangerFullAccess: {},
  externalSandbox: { networkAccess: NETWORK },
};

/** Codex's SandboxPolicy with absolute paths; null when the file has none. */
export function turnSandboxPolicy(
  value: unknown,
  around: Surroundings,
  findings: Findings,
): PolicyMap | null {
  if (value === undefined) return null;
  const { type, mode, ...rest } = isMap(value) ? value : { type: value };
  const word = type ?? mode;
  const right = typeof word === "string" ? spelled(word, Object.keys(TURN_TYPES)) : null;
  if (right === null) {
    const types = list(Object.keys(TURN_TYPES));
    findings.problem(
      TURN_KEY,
      `${shown(value)} is not known to Codex. It takes a map with \`type:\` ${types}.`,
    );
    return null;
  }
  if (!isMap(value) || type !== right)
    findings.warn(TURN_KEY, `${shown(value)} is taken as ${shown({ type: right })}; write it so.`);
  const fields = Object.entries(rest).map(([name, given]) =>
    policyField(right, name, given, around, findings),
  );
  return { type: right, ...Object.fromEntries(fields) };
}

function policyField(
  type: string,
  given: string,
  value: unknown,
  around: Surroundings,
  findings: Findings,
): [string, CodexValue] {
  const fields = TURN_TYPES[type] ?? {};
  const key = [...TURN_KEY, given];
  const name = spelled(given, Object.keys(fields));
  if (name === null) {
    findings.warn(key, `Codex does not read this for \`${type}\`.`, "key");
    return [given, isCodexValue(value) ? value : null];
  }
  if (name !== given)
    findings.warn(key, `is taken as \`${name}\`; Codex reads it only when spelled so.`, "key");
  const right = policyValue(fields[name] ?? "", value, around);
  if (right === null) findings.problem(key, `must be ${fields[name]}, got ${shown(value)}.`);
  return [name, right];
}

/** The value as Codex takes it; null when it cannot be made into one. */
function policyValue(wanted: string, value: unknown, around: Surroundings): CodexValue {
  if (wanted === FLAG) return typeof value === "boolean" ? value : null;
  if (wanted === NETWORK) {
    if (typeof value === "boolean") return value ? "enabled" : "restricted";
    return value === "enabled" || value === "restricted" ? value : null;
  }
  const roots = Array.isArray(value) ? value.map((root: unknown) => writableRoot(root, around)) : [null];
  return roots.includes(null) ? null : roots;
}

/** Relative roots are refused, not resolved: people may mean the workspace or the file's directory. */
function writableRoot(root: unknown, around: Surroundings): string | null {
  if (typeof root !== "string" || !/^(\/|~|\$)/.test(root)) return null;
  const expanded = expandPath(root, around);
  return "path" in expanded ? expanded.path : null;
}
