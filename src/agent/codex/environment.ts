/**
 * What the agent's process finds in its environment. Three circles: what Baton knows, what Codex gets of it, and what
 * Codex hands on to the commands it runs (that last one is set by the thread's configuration, see launch-options.ts).
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type CodexSettings, type Environment, namedVariables, scrubbed } from "../../domain/domain.ts";

/** By this mark the processes of an agent are found when the run ends. Hooks' processes carry BATON_RUN only. */
export const agentMark = (mark: string): string => `${AGENT_MARK}=${mark}`;

const AGENT_MARK = "BATON_AGENT";

/** Codex sets it for every command of a thread; it finds those whose environment was rebuilt from nothing. */
export const threadMark = (threadId: string): string => `CODEX_THREAD_ID=${threadId}`;

/** What the workflow says about the environment of its agents. */
export type Passing = Pick<CodexSettings, "command" | "envPass" | "envProvider">;

/**
 * The agent's environment: the usual, what `codex` passes on or names in its command, the keys of providers that Codex's
 * own configuration names, and the run's marks. No other credential comes along; SSH_AUTH_SOCK, which opens every host
 * that the operator's keys open, neither. RUST_LOG never does: inherited at `info` it makes Codex write half a megabyte
 * per turn.
 */
export function agentEnvironment(
  environment: Environment,
  codex: Passing,
  secrets: readonly string[],
  mark: string,
): Record<string, string> {
  const pass = [...codex.envPass, ...codex.envProvider, ...inCommand(codex), ...providerKeys(environment)];
  const { RUST_LOG: _, ...kept } = scrubbed(environment, pass, secrets);
  return { ...kept, BATON_RUN: mark, [AGENT_MARK]: mark };
}

/** What the command names with a `$` is for the command. */
export const inCommand = ({ command }: Passing): readonly string[] =>
  namedVariables(command).map(({ name }) => name);

/** Far above what people write; a log that was put in its place is not searched. */
const CONFIG_BYTES_MAX = 2 ** 20;

const ENV_KEY = /^[^#\n]*\benv_key\s*=\s*["']([A-Za-z_][A-Za-z0-9_]*)["']/gm;

/**
 * The variables that Codex's config.toml names as `env_key` of a provider. Not found where codex.command itself says where
 * Codex's home is: `codex.env_provider` names them there.
 */
function providerKeys(environment: Environment): readonly string[] {
  const { HOME = "", CODEX_HOME = "" } = environment;
  const file = join(CODEX_HOME || join(HOME || "/", ".codex"), "config.toml");
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > CONFIG_BYTES_MAX) return [];
    const toml = readFileSync(file, "utf8");
    return [...toml.matchAll(ENV_KEY)].map(([, name = ""]) => name);
  } catch {
    // No configuration, or none that can be read: Codex will say so itself.
    return [];
  }
}
