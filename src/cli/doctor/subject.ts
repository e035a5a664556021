/** What `baton doctor` looks at: this machine, and a workflow when there is one that can be used. */
import { agentEnvironment, agentMark, type Passing } from "../../agent/agent.ts";
import { type RunId, runId, type Workflow } from "../../domain/domain.ts";
import { type CommandResult, runCommand } from "../../processes/processes.ts";
import { CHECK_MS_MAX } from "./check.ts";

type Env = Readonly<Record<string, string | undefined>>;

interface Machine {
  readonly env: Env;
  readonly home: string;
  readonly now: () => number;
}

export interface Subject extends Machine {
  /** Null: only the machine can be looked at. */
  readonly workflow: Workflow | null;
}

/** Codex as it would be started: without a workflow, by SPEC.md's default. */
export const codexOf = ({ workflow }: Subject): Passing =>
  workflow?.settings.codex ?? { command: "codex app-server", envPass: [], envProvider: [] };

/** What an agent would know of the environment: a check that sees more would promise too much. */
export const agentEnv = (subject: Subject): Record<string, string> => agentEnvAs(subject, "programs").env;

/**
 * The same for an app-server, with the mark by which it and its descendants are found. `name` keeps checks apart: what
 * carries the mark is killed with it.
 */
export function agentEnvAs(
  subject: Subject,
  name: string,
): { readonly env: Record<string, string>; readonly mark: string } {
  const run = runOf(name);
  const env = agentEnvironment(subject.env, codexOf(subject), secretsOf(subject), run);
  return { env, mark: agentMark(run) };
}

/** What no agent gets. */
export const secretsOf = ({ workflow }: Subject): readonly string[] =>
  workflow === null ? [] : [workflow.settings.tracker.apiKey];

/** What stands for the run in a check of this name. */
export const runOf = (name: string): RunId => runId(`doctor-${process.pid}-${name}`);

/** Runs one program to its end, with the agent's environment. Never rejects. */
export const runProgram = (
  subject: Subject,
  file: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> =>
  runCommand({ file, args, cwd: subject.home, env: agentEnv(subject), timeoutMs: CHECK_MS_MAX, signal });
