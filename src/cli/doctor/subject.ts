/** What `baton doctor` looks at: this machine, and a workflow when there is one that can be used. */
import { scrubbed } from "../../domain/environment.ts";
import type { CodexSettings, Workflow } from "../../domain/settings.ts";
import { runCommand, type CommandResult } from "../../workspace/command.ts";
import { checkMsMax } from "./check.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export interface Machine {
  readonly env: Env;
  readonly home: string;
  readonly now: () => number;
}

export interface Subject extends Machine {
  /** Null: only the machine can be looked at. */
  readonly workflow: Workflow | null;
}

/** Codex as it would be started: without a workflow, by SPEC.md's default. */
export const codexOf = ({ workflow }: Subject): Pick<CodexSettings, "command" | "envPass"> =>
  workflow?.settings.codex ?? { command: "codex app-server", envPass: [] };

/** What an agent would know of the environment: a check that sees more would promise too much. */
export function agentEnv(subject: Subject): Record<string, string> {
  const { workflow, env } = subject;
  const secrets = workflow === null ? [] : [workflow.settings.tracker.apiKey];
  const { RUST_LOG: _, ...kept } = scrubbed(env, codexOf(subject).envPass, secrets);
  return kept;
}

/** Runs one program to its end, with the agent's environment. Never rejects. */
export const runProgram = (
  subject: Subject,
  file: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> =>
  runCommand({ file, args, cwd: subject.home, env: agentEnv(subject), timeoutMs: checkMsMax, signal });
