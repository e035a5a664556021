/**
 * `npm run bench`: what the program promises about its cost, measured on the program as it is built. Prints one table.
 *
 *   node bench/bench.ts [--only NAME] [--no-build] [--keep]
 *   node bench/bench.ts --against DIRECTORY [--no-build]
 *
 * With `--keep` the table goes into docs/PERFORMANCE.md (scripts/figures.ts). Parts that take long are run only when they
 * are named. With `--against` there is one part, and a table of its own: the program of this checkout and the built one of
 * another, in turn.
 *
 * Exit 0 when every target was met, 1 when one was missed or something failed, 2 for a wrong argument.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { against } from "./against.ts";
import { blocks } from "./blocks.ts";
import { coldStart } from "./cold-start.ts";
import { dispatch } from "./dispatch.ts";
import { events } from "./events.ts";
import type { Figure } from "./figure.ts";
import { growth } from "./growth.ts";
import { history } from "./history.ts";
import { multiples } from "./multiples.ts";
import { printed } from "./printed.ts";
import { quiet } from "./quiet.ts";
import { referenceMs } from "./reference.ts";
import { tick } from "./tick.ts";
import { tickets } from "./tickets.ts";
import { keep } from "../scripts/figures.ts";

/** One part of it. */
interface Part {
  readonly measure: () => Promise<readonly Figure[]>;
  /** A daemon that hangs is not waited for: twice what it takes beside other work. */
  readonly minutesMax: number;
  /** Takes so long that it is run only when it is named. */
  readonly onlyNamed?: true;
}

/** The scheduler's first tick counts as it is: nothing may have warmed it up, so it goes first. */
const parts: Readonly<Record<string, Part>> = {
  tick: { measure: tick, minutesMax: 2 },
  events: { measure: events, minutesMax: 3 },
  tickets: { measure: tickets, minutesMax: 4 },
  dispatch: { measure: dispatch, minutesMax: 2 },
  "cold-start": { measure: coldStart, minutesMax: 2 },
  multiples: { measure: multiples, minutesMax: 3 },
  quiet: { measure: quiet, minutesMax: 2 },
  blocks: { measure: blocks, minutesMax: 3 },
  growth: { measure: growth, minutesMax: 25, onlyNamed: true },
  history: { measure: history, minutesMax: 20, onlyNamed: true },
};

const AGAINST_MINUTES_MAX = 25;

/** What tells how busy the machine is with other things, and what that does to CPU time. */
const surroundings = (): string =>
  `load ${loadavg()[0]?.toFixed(1) ?? "?"}, a fixed piece of work takes ${referenceMs()} CPU ms`;
const before = surroundings();

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      against: { type: "string" },
      "no-build": { type: "boolean" },
      keep: { type: "boolean" },
    },
  });
  const chosen = chosenBy(values);
  if (chosen.length === 0) {
    console.error(`bench: there is no "${values.only}"; there are ${Object.keys(parts).join(", ")}.`);
    return 2;
  }
  if (values["no-build"] !== true && !built()) return 1;
  console.log(machine());
  const figures: Figure[] = [];
  let failed = false;
  for (const [name, part] of chosen) {
    console.error(`${name} ...`);
    try {
      figures.push(...(await inTime(name, part)));
    } catch (error) {
      failed = true;
      console.error(`bench: ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(printed(figures));
  if (values.keep === true) keepFigures(tableOf(values), figures, values.only !== undefined);
  console.log(`Before: ${before}. After: ${surroundings()}. The same work costs more beside other work.`);
  return failed || figures.some((figure) => figure.met === false) ? 1 : 0;
}

function chosenBy({ only, against: other }: { only?: string; against?: string }): readonly [string, Part][] {
  if (other !== undefined) {
    return [["against", { measure: () => against(other), minutesMax: AGAINST_MINUTES_MAX }]];
  }
  return Object.entries(parts).filter(([name, { onlyNamed }]) =>
    only === undefined ? onlyNamed !== true : name === only,
  );
}

/** What is run by its name alone has a table of its own. */
function tableOf({ only, against: other }: { only?: string; against?: string }): string {
  if (other !== undefined) return "against";
  return only !== undefined && parts[only]?.onlyNamed === true ? only : "bench";
}

function keepFigures(name: string, figures: readonly Figure[], only: boolean): void {
  const columns = ["what", "measured", "target", ""];
  const rows = figures.map(({ what, measured, target, met, how }) => [
    what,
    name === "against" ? `${measured}; ${how}` : measured,
    target ?? "none",
    met === null ? "" : met ? "met" : "missed",
  ]);
  const date = new Date().toISOString().slice(0, 10);
  keep(
    name,
    { date, machine: `${machine()}; before: ${before}; after: ${surroundings()}`, columns, rows },
    { only: only && name === "bench" },
  );
}

async function inTime(name: string, { measure, minutesMax }: Part): Promise<readonly Figure[]> {
  const timer = setTimeout(() => {
    console.error(`bench: ${name} is not done within ${minutesMax} minutes.`);
    process.exit(1);
  }, minutesMax * 60_000);
  try {
    return await measure();
  } finally {
    clearTimeout(timer);
  }
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
