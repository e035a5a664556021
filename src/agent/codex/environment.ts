/**
 * What the agent's process finds in its environment. Three circles: what Baton knows, what Codex gets of it, and what
 * Codex hands on to the commands it runs (that last one is set by the thread's configuration, see launch-options.ts).
 */
import { scrubbed } from "../../domain/domain.ts";

/** By this mark the processes of an agent are found when the run ends. Hooks' processes carry BATON_RUN only. */
export const agentMark = (mark: string): string => `${AGENT_MARK}=${mark}`;

const AGENT_MARK = "BATON_AGENT";

/** Codex sets it for every command of a thread; it finds those whose environment was rebuilt from nothing. */
export const threadMark = (threadId: string): string => `CODEX_THREAD_ID=${threadId}`;

/**
 * The agent's environment: the allow-list, the names in `pass`, and the run's marks. Credentials come along only when
 * `pass` names them, OPENAI_API_KEY and CODEX_API_KEY included; so does SSH_AUTH_SOCK, which opens every host that the
 * operator's keys open. RUST_LOG never does: inherited at `info` it makes Codex write half a megabyte per turn.
 */
export function agentEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
  secrets: readonly string[],
  mark: string,
): Record<string, string> {
  const { RUST_LOG: _, ...kept } = scrubbed(environment, pass, secrets);
  return { ...kept, BATON_RUN: mark, [AGENT_MARK]: mark };
}
