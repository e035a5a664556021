/** What must be on this machine before a daemon makes sense: said at the start, not with the first ticket. */
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import type { Workflow } from "../domain/domain.ts";
import { CliError, EXIT } from "./exit.ts";

/** A login profile that takes longer is not waited for; then the first run says what is missing. */
const PROFILE_MS = 10_000;

/** @throws CliError prerequisite, when a workflow's agent cannot be started at all. */
export async function checkAgents(workflows: readonly Workflow[], env: NodeJS.ProcessEnv): Promise<void> {
  for (const { path, settings } of workflows) {
    const program = programOf(settings.codex.command);
    if (program === null || isOnPath(program, env) || (await profileKnows(program, env))) continue;
    throw new CliError(
      EXIT.prerequisite,
      `${path}: codex.command: "${program}" is neither on the PATH nor made known by bash's login profile. ` +
        "Install it (npm install -g @openai/codex), or write its full path; baton doctor shows more.",
    );
  }
}

/** The program a simple command starts; null for a command that only a shell understands. */
export function programOf(command: string): string | null {
  const words = command.trim().split(/\s+/);
  const program = words.find((_, index) => !words.slice(0, index + 1).every(isAssignment));
  return program === undefined || !/^[\w./~+-]+$/.test(program) || program.startsWith("~") ? null : program;
}

const isAssignment = (word: string): boolean => /^\w+=/.test(word);

function isOnPath(program: string, env: NodeJS.ProcessEnv): boolean {
  const places = program.includes("/") ? [""] : (env["PATH"] ?? "").split(delimiter);
  // A relative path means one in the workspace, which does not exist yet.
  if (program.includes("/") && !isAbsolute(program)) return true;
  return places.some((place) => isExecutable(place === "" ? program : join(place, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function profileKnows(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await promisify(execFile)("bash", ["-lc", 'command -v -- "$0"', program], { env, timeout: PROFILE_MS });
    return true;
  } catch (error) {
    // Only a clear no counts: whoever cannot tell lets the first run find out.
    return !(error instanceof Error && "code" in error && error.code === 1);
  }
}
