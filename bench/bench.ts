/**
 * `npm run bench`: what the program promises about its cost, measured on the program as it is built. Prints one table.
 *
 *   node bench/bench.ts [--only NAME] [--no-build]
 *
 * Exit 0 when every target was met, 1 when one was missed or something failed, 2 for a wrong argument.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { coldStart } from "./cold-start.ts";
import { dispatch } from "./dispatch.ts";
import { events } from "./events.ts";
import type { Figure } from "./figure.ts";
import { printed } from "./printed.ts";
import { quiet } from "./quiet.ts";
import { referenceMs } from "./reference.ts";
import { tick } from "./tick.ts";
import { tickets } from "./tickets.ts";

/** All of it takes about three minutes; a daemon that hangs is not waited for. */
const ALL_MS = 6 * 60_000;

/** The scheduler's first tick counts as it is: nothing may have warmed it up, so it goes first. */
const benchmarks: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  tick,
  events,
  tickets,
  dispatch,
  "cold-start": coldStart,
  quiet,
};

/** What tells how busy the machine is with other things, and what that does to CPU time. */
const surroundings = (): string =>
  `load ${loadavg()[0]?.toFixed(1) ?? "?"}, a fixed piece of work takes ${referenceMs()} CPU ms`;
const before = surroundings();

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: "string" }, "no-build": { type: "boolean" } } });
  const { only } = values;
  const names = Object.keys(benchmarks).filter((name) => only === undefined || name === only);
  if (names.length === 0) {
    console.error(`bench: there is no "${only}"; there are ${Object.keys(benchmarks).join(", ")}.`);
    return 2;
  }
  if (values["no-build"] !== true && !built()) return 1;
  const timer = setTimeout(() => {
    console.error(`bench: not done within ${ALL_MS / 60_000} minutes.`);
    process.exit(1);
  }, ALL_MS);
  console.log(machine());
  const figures: Figure[] = [];
  let failed = false;
  for (const name of names) {
    console.error(`${name} ...`);
    try {
      figures.push(...((await benchmarks[name]?.()) ?? []));
    } catch (error) {
      failed = true;
      console.error(`bench: ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  clearTimeout(timer);
  console.log(printed(figures));
  console.log(`Before: ${before}. After: ${surroundings()}. The same work costs more beside other work.`);
  return failed || figures.some((figure) => figure.met === false) ? 1 : 0;
}

function machine(): string {
  const [processor] = cpus();
  const of = `${availableParallelism()} cores of ${processor?.model.trim() ?? "an unknown processor"}`;
  return `${of}, Linux ${release()}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
}

function built(): boolean {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  return spawnSync("npm", ["run", "--silent", "build"], { cwd, stdio: "inherit" }).status === 0;
}
