/**
 * Whether bash's login profile lets a command begin. Hooks and codex.command are run by `bash -lc`, so a profile that waits
 * for something (a stale lock, a network that is away) is a hook that hangs, as far as one can see from outside.
 */
import { runCommand } from "./command.ts";

/** A profile takes tens of milliseconds, a slow one a second or two. */
export const SHELL_MAX_MS = 5_000;

export interface Shell {
  readonly cwd: string;
  /** As the command had it that did not begin. */
  readonly env: Readonly<Record<string, string>>;
}

/** For how long `bash -lc true` took, in milliseconds; null = it did not come back within the bound. Never rejects. */
export async function loginShellMs(
  { cwd, env }: Shell,
  timeoutMs = SHELL_MAX_MS,
  signal: AbortSignal | null = null,
): Promise<number | null> {
  const from = performance.now();
  const { end } = await runCommand({ file: "bash", args: ["-lc", "true"], cwd, env, timeoutMs, signal });
  return end.type === "timeout" ? null : performance.now() - from;
}

/** What a person is told when it hangs. */
export const SHELL_HANGS =
  "Look at what bash's login profile waits for: /etc/profile, /etc/profile.d, ~/.bash_profile, ~/.bash_login, ~/.profile, " +
  "and what they call (a version manager's lock, a network). `time bash -lc true` shows it.";
