/** The real program as a child: started, watched from the outside, stopped. */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { epochNow } from "./light-board/talk.ts";
import type { Place } from "./place.ts";
import { exactCpuMs, figuresOf, type ProcessFigures } from "./process-figures.ts";
import { here, programIn } from "./program.ts";

/** Where the compiled code of the program's modules is kept between starts, as Node does by itself under the temp dir. */
const usualCache = join(tmpdir(), "baton-bench-compile-cache");

/** How often the log is looked into, and how long a stop may take before it is made one. */
const LOOK_MS = 20;
const STOP_MS = 20_000;

export interface DaemonOptions {
  readonly place: Place;
  /** Node's compile cache; the benchmark of the cold start gives an empty one. */
  readonly cache?: string;
  /** Another checkout's program; without one this checkout's. */
  readonly program?: string;
  readonly nodeArgs?: readonly string[];
}

/** What the program sees of its surroundings: nothing of whoever measures it. */
export const environmentIn = (place: Place, cache = usualCache): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: place.home,
  TMPDIR: tmpdir(),
  LC_ALL: "C",
  LINEAR_API_KEY: "lin_api_bench_0123456789",
  NODE_COMPILE_CACHE: cache,
});

export class BatonDaemon {
  /** When the process was asked for. */
  readonly spawnedAt: number;
  readonly #child: ChildProcess;
  readonly #log: LogReader;
  readonly #ended: Promise<number | null>;

  constructor({ place, cache, program = programIn(here), nodeArgs = [] }: DaemonOptions) {
    // What an earlier daemon here has told does not count.
    writeFileSync(place.log, "");
    const log = openSync(place.log, "a");
    this.spawnedAt = epochNow();
    this.#child = spawn(
      process.execPath,
      [...argsFromOutside, ...nodeArgs, program, "run", place.workflow, "--log-format", "json"],
      { cwd: place.directory, env: environmentIn(place, cache), stdio: ["ignore", "ignore", log] },
    );
    closeSync(log);
    this.#log = new LogReader(place.log);
    const { promise, resolve } = Promise.withResolvers<number | null>();
    // Nothing outlives the benchmark, also when it is broken off.
    const last = (): void => void this.#child.kill("SIGKILL");
    process.on("exit", last);
    this.#child.on("exit", (code) => {
      process.off("exit", last);
      resolve(code);
    });
    this.#ended = promise;
  }

  /** CPU and memory up to now. */
  figures(): ProcessFigures {
    if (this.#child.pid === undefined || this.#child.exitCode !== null) throw this.#gone();
    return figuresOf(this.#child.pid);
  }

  /** CPU milliseconds of its threads up to now, in finer steps; see `exactCpuMs`. */
  exactCpuMs(): number {
    if (this.#child.pid === undefined || this.#child.exitCode !== null) throw this.#gone();
    return exactCpuMs(this.#child.pid);
  }

  /** Waits until the log tells this fact so many times. @throws Error when it takes longer, or the daemon ends */
  async until(fact: string, count: number, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (this.#log.count(fact) < count) {
      if (this.#child.exitCode !== null) throw this.#gone();
      if (performance.now() > deadline) {
        throw new Error(`the log has ${this.#log.count(fact)} of ${count} x "${fact}" after ${withinMs} ms`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** How often the log tells this fact. */
  told(fact: string): number {
    return this.#log.count(fact);
  }

  /** SIGTERM, and SIGKILL if that does not do it. @throws Error unless it ends with 0 */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
    this.#child.kill("SIGTERM");
    const code = await this.#ended;
    clearTimeout(timer);
    this.#log.close();
    if (code !== 0) throw this.#gone();
  }

  /** At once: nobody is interested any more. The agents end with their input. Tolerates one that is gone. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  #gone(): Error {
    const { exitCode, signalCode } = this.#child;
    return new Error(
      `the daemon ended with ${exitCode ?? signalCode}; the end of its log:\n${this.#log.tail}`,
    );
  }
}

/** To profile: `BATON_BENCH_NODE_ARGS="--cpu-prof --cpu-prof-dir=DIR"` writes a profile of every daemon. */
const argsFromOutside = (process.env["BATON_BENCH_NODE_ARGS"] ?? "").split(" ").filter((arg) => arg !== "");

/** Counts facts in a growing file of JSON lines. */
class LogReader {
  readonly #file: number;
  readonly #counts = new Map<string, number>();
  readonly #buffer = Buffer.alloc(256 * 1024);
  #rest = "";
  #tail = "";

  constructor(path: string) {
    this.#file = openSync(path, "r");
  }

  get tail(): string {
    return this.#tail;
  }

  count(fact: string): number {
    for (let read = this.#read(); read > 0; read = this.#read()) {
      const lines = (this.#rest + this.#buffer.toString("utf8", 0, read)).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#line(line);
    }
    return this.#counts.get(fact) ?? 0;
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(): number {
    return readSync(this.#file, this.#buffer, 0, this.#buffer.length, null);
  }

  #line(line: string): void {
    const fact = /"fact":"(\w+)"/.exec(line)?.[1];
    if (fact !== undefined) this.#counts.set(fact, (this.#counts.get(fact) ?? 0) + 1);
    this.#tail = `${this.#tail}${line}\n`.slice(-4000);
  }
}
