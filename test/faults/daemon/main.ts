/**
 * The program as `baton run` runs it, but that a test may have it die: told a point of its life over the channel to its
 * parent, or as the second argument, it kills itself when it comes by. It also throws an error, or tells how it is, when
 * it is asked to.
 *
 *   node main.ts WORKFLOW [POINT]
 *
 * Without arguments it loads everything and ends.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { CliError } from "../../../src/cli/exit.ts";
import { processOutput } from "../../../src/terminal/output.ts";
import { run } from "../../../src/cli/run.ts";

/** What the parent says. */
export type Said =
  | { readonly dieAt: string }
  | { readonly howAreYou: "now" | "after a collection" }
  /** Throws it where nobody catches it. */
  | { readonly throw: string }
  /** Delays until now are no longer counted. */
  | { readonly startOver: true };

/** The answer to `howAreYou`. */
export interface HowIAm {
  /** Of all the time that is counted, in milliseconds. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  /** What is in use; garbage is part of it, unless it was collected first. */
  readonly heapBytes: number;
}

/** Below this a delay is the timer's own. */
const RESOLUTION_MS = 5;

const [workflow, armed] = process.argv.slice(2);
void (workflow === undefined ? loadAll() : live(workflow));

async function live(workflow: string): Promise<void> {
  process.exitCode = await lived(workflow);
}

async function lived(workflow: string): Promise<number> {
  let dieAt = armed;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  process.on("message", (said: Said) => {
    if ("dieAt" in said) dieAt = said.dieAt;
    else if ("throw" in said) throw new Error(said.throw);
    else if ("startOver" in said) delay.reset();
    else tell(delay, said.howAreYou === "after a collection");
  });
  // The channel must not keep alive what has nothing more to do.
  process.channel?.unref();
  const output = processOutput();
  try {
    return await run([workflow], { logFormat: "json", logLevel: "debug" }, "0.0.0", output, (point) => {
      if (point === dieAt) process.kill(process.pid, "SIGKILL");
    });
  } catch (error) {
    output.err(String(error));
    return error instanceof CliError ? error.code : 1;
  }
}

function tell(delay: ReturnType<typeof monitorEventLoopDelay>, collect: boolean): void {
  delay.disable();
  const [p99, max] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  if (collect) globalThis.gc?.();
  const how: HowIAm = {
    delayP99Ms: Math.max(0, p99 - RESOLUTION_MS),
    delayMaxMs: Math.max(0, max - RESOLUTION_MS),
    heapBytes: process.memoryUsage().heapUsed,
  };
  process.send?.(how);
  // What the question itself took is not counted.
  delay.enable();
}

/** What is loaded late, too. */
async function loadAll(): Promise<void> {
  await import("chokidar");
}
