/** The daemon of a soak, over several lives: started, ended, stopped, asked, and its log read from the first life to the last. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { figuresOf, type ProcessFigures } from "../process-figures.ts";
import { here, programIn } from "../program.ts";

const KEY = "board-key";

/** How long an answer of the command line may take: a command that hangs is a finding, not a reason to hang with it. */
const COMMAND_MAX_MS = 20_000;

export interface Answer {
  readonly code: number | null;
  readonly out: string;
}

export class SoakDaemon {
  readonly #directory: string;
  readonly #files: readonly string[];
  #child: ChildProcess | null = null;
  #lives = 0;
  #cpuBefore = 0;
  #last: ProcessFigures = { cpu: 0, rss: 0, peak: 0 };

  constructor(directory: string, files: readonly string[]) {
    this.#directory = directory;
    this.#files = files;
    mkdirSync(join(directory, "home"), { recursive: true });
    mkdirSync(join(directory, "log"), { recursive: true });
  }

  start(): void {
    this.#lives += 1;
    const log = openSync(this.#log(this.#lives), "a");
    this.#child = spawn(process.execPath, [programIn(here), "run", ...this.#files, "--log-format", "json"], {
      cwd: this.#directory,
      env: this.#env,
      stdio: ["ignore", log, log],
    });
    closeSync(log);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Ends this life by a signal; the exit code when it has ended. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    const child = this.#child;
    if (child === null) return null;
    this.figures();
    const exited = child.exitCode !== null || child.signalCode !== null ? null : once(child, "exit");
    child.kill(signal);
    await exited;
    this.#cpuBefore += this.#last.cpu;
    this.#last = { ...this.#last, cpu: 0 };
    return child.exitCode;
  }

  get isAlive(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** CPU of all lives so far; memory of this one. */
  figures(): ProcessFigures {
    if (this.#child?.pid !== undefined && this.isAlive) this.#last = figuresOf(this.#child.pid);
    return { ...this.#last, cpu: this.#cpuBefore + this.#last.cpu };
  }

  /** A command of the program, as an operator gives it in this directory. */
  ask(...args: readonly string[]): Answer {
    const { status, stdout, stderr } = spawnSync(process.execPath, [programIn(here), ...args], {
      cwd: this.#directory,
      env: this.#env,
      encoding: "utf8",
      timeout: COMMAND_MAX_MS,
    });
    return { code: status, out: `${stdout}${stderr}` };
  }

  /** Every line of every life. */
  lines(): readonly string[] {
    return Array.from({ length: this.#lives }, (_, life) =>
      readFileSync(this.#log(life + 1), "utf8"),
    ).flatMap((text) => text.split("\n").filter((line) => line !== ""));
  }

  /** Keeps what a command said, for whoever reads afterwards. */
  keep(name: string, text: string): void {
    writeFileSync(join(this.#directory, "log", name), text);
  }

  #log(life: number): string {
    return join(this.#directory, "log", `life-${life}.jsonl`);
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env["PATH"],
      HOME: join(this.#directory, "home"),
      LC_ALL: "C",
      LINEAR_API_KEY: KEY,
    };
  }
}
