/**
 * Asks the Codex that a command starts whether it has what is needed: for its version first, then for its own schema, once
 * for each version. Where that cannot be had, what is known of the release counts; a program that does not say its version
 * as Codex does is asked nothing more.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../domain/domain.ts";
import { type CommandEnd, type CommandResult, runCommand } from "../../processes/processes.ts";
import type { Fit } from "../port.ts";
import { agentEnvironment, type Passing } from "./environment.ts";
import { cut } from "./failures.ts";
import type { KnownFits } from "./known-fits.ts";
import { missingIn } from "./needs.ts";
import { generatorIn, programIn, versionIn } from "./program.ts";
import { isReleased, lackedBy } from "./releases.ts";

export interface FitnessParts {
  /** Of which Codex gets the part that it gets when it serves. */
  readonly env: Environment;
  /** Values that must never reach it. */
  readonly secrets: () => readonly string[];
  /** What is started carries it, as the processes of a run carry theirs. */
  readonly mark: string;
  readonly known: KnownFits;
}

/** Each answer takes a tenth of a second; the first start after an installation may read 300 MB from a disk. */
const ANSWER_MAX_MS = 15_000;

/** Of a program's last words. */
const SAID_CHARS_MAX = 300;

/** The shell's own: not executable, not found. Somebody may install it. */
const NO_PROGRAM = new Set([126, 127]);

export class Fitness {
  readonly #parts: FitnessParts;
  /** By version: why its schema could not be had. It is not generated again in this life. */
  readonly #failed = new Map<string, string>();

  constructor(parts: FitnessParts) {
    this.#parts = parts;
  }

  /** Never rejects. Comes back within two answers' time, or soon after `signal`. */
  async look(codex: Passing, signal: AbortSignal): Promise<Fit> {
    let directory: string | null = null;
    try {
      directory = mkdtempSync(join(tmpdir(), "baton-codex-"));
      return await this.#look(codex, directory, signal);
    } catch (error) {
      // There is no room for a schema.
      const why = error instanceof Error ? error.message : String(error);
      return { is: "unknown", version: null, why, lasting: false };
    } finally {
      if (directory !== null) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async #look(codex: Passing, directory: string, signal: AbortSignal): Promise<Fit> {
    const question = `${programIn(codex.command)} --version`;
    const answer = await this.#run(codex, question, directory, signal);
    const version = isWell(answer) ? versionIn(answer.output) : null;
    if (version === null) return unanswered(question, answer);
    if (isReleased(version) && this.#parts.known.has(version)) return { is: "fit", version };
    const found = await this.#schema(codex, version, directory, signal);
    if (typeof found === "string") return byRelease(version, found);
    if (found.length > 0) return { is: "unfit", version, missing: found };
    this.#parts.known.add(version);
    return { is: "fit", version };
  }

  /** What its own schema lacks; a text = why there is none. */
  async #schema(
    codex: Passing,
    version: string,
    directory: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | string> {
    const generator = generatorIn(codex.command, directory);
    if (generator === null)
      return "codex.command does not end in `app-server`, where it is asked for its schema";
    const before = this.#failed.get(version);
    if (before !== undefined) return before;
    const answer = await this.#run(codex, generator, directory, signal);
    const missing = isWell(answer) ? missingBy(directory) : null;
    if (missing !== null) return missing;
    const why = `\`${codex.command.trim()} generate-json-schema\` ${endWords(answer.end)} and has written no schema${lastWords(answer.output)}`;
    if (isReleased(version) && !signal.aborted) this.#failed.set(version, why);
    return why;
  }

  #run(codex: Passing, line: string, cwd: string, signal: AbortSignal): Promise<CommandResult> {
    const { env, secrets, mark } = this.#parts;
    return runCommand({
      file: "bash",
      args: ["-lc", line],
      cwd,
      env: agentEnvironment(env, codex, secrets(), mark),
      timeoutMs: ANSWER_MAX_MS,
      signal,
    });
  }
}

/** `why`: its own schema does not say it. */
function byRelease(version: string, why: string): Fit {
  const missing = lackedBy(version);
  if (missing === null)
    return { is: "unknown", version, why: `release ${version} is not known, and ${why}`, lasting: false };
  return missing.length === 0 ? { is: "fit", version } : { is: "unfit", version, missing };
}

const isWell = ({ end }: CommandResult): boolean => end.type === "exited" && end.code === 0;

/** By the schema in this directory; null = there is none. */
function missingBy(directory: string): readonly string[] | null {
  try {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(directory, name), "utf8"));
    return missingIn({ requests: read("ClientRequest.json"), notices: read("ServerNotification.json") });
  } catch {
    return null;
  }
}

const unanswered = (question: string, { end, output }: CommandResult): Fit => ({
  is: "unknown",
  version: null,
  why: `\`${question}\` ${endWords(end)} and says no version of Codex${lastWords(output)}`,
  lasting: end.type === "timeout" || (end.type === "exited" && !NO_PROGRAM.has(end.code)),
});

function endWords(end: CommandEnd): string {
  switch (end.type) {
    case "exited":
      return `ended with ${end.code}`;
    case "killed":
      return `was ended by ${end.signal}`;
    case "timeout":
      return `did not come back within ${ANSWER_MAX_MS / 1_000} s`;
    case "aborted":
      return "was given up";
    case "unstartable":
      return `could not be started (${end.error})`;
  }
}

const lastWords = (output: string): string => {
  const said = output.trim();
  return said === "" ? "" : `: ${cut(said, SAID_CHARS_MAX)}`;
};
