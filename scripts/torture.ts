/**
 * The fault suites in the numbers of docs/RELIABILITY.md: `npm run torture` as CI runs them, `-- --release` as before a
 * release, `-- F9 --rounds 500 --seed 7` for one. Prints the figures of each; with `--keep` they are kept, and shown in the
 * tables there (figures.ts). Exit 1 when one of them is not what it must be.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, release, type } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import PQueue from "p-queue";
import { figuresCell, figuresLine, type Figures } from "../test/faults/figures.ts";
import type { Suite } from "../test/faults/suite.ts";
import { suites } from "../test/faults/suites.ts";
import { nobodysHome } from "../test/home.ts";
import { keep } from "./figures.ts";

const DEFAULT_SEED = 20_261_121;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    release: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    rounds: { type: "string" },
    seed: { type: "string", default: String(DEFAULT_SEED) },
    // One more than cores: the suites that kill and stop daemons wait half of their time.
    jobs: { type: "string", default: String(availableParallelism() + 1) },
  },
});

/** What the process of one suite says at its end. */
interface Outcome {
  readonly figures: Figures;
  readonly problems: readonly string[];
  readonly cpuSeconds: number;
}

process.exitCode = process.send === undefined ? await main() : await one();

async function main(): Promise<number> {
  const chosen = chosenSuites();
  if (chosen === null) return 2;
  console.log(machine());
  const queue = new PQueue({ concurrency: Number(values.jobs) });
  const tried = await Promise.all(chosen.map((suite) => queue.add(() => inItsProcess(suite))));
  const failed = tried.filter(({ problems }) => problems.length > 0).length;
  console.log(`${tried.length - failed} suites passed, ${failed} failed`);
  if (values.keep) keepFigures(tried.toSorted(byNumber));
  return failed === 0 ? 0 : 1;
}

/** Null when one was named that there is not. */
function chosenSuites(): readonly Suite[] | null {
  const wanted = positionals.map((name) => name.toUpperCase());
  const unknown = wanted.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length === 0) {
    const chosen = suites.filter((suite) =>
      wanted.length > 0 ? wanted.includes(suite.name) : roundsOf(suite) > 0,
    );
    const others =
      process.platform === "linux" ? [] : chosen.filter(({ linuxOnly }) => linuxOnly !== undefined);
    for (const { name, linuxOnly } of others) console.log(`skipped ${name}: only on Linux: ${linuxOnly}`);
    return chosen.filter((suite) => !others.includes(suite));
  }
  console.error(
    `torture: there is no suite ${unknown.join(", ")}; there are: ${suites.map(({ name }) => name).join(", ")}`,
  );
  return null;
}

function roundsOf({ rounds }: Suite): number {
  if (values.rounds !== undefined) return Number(values.rounds);
  return values.release ? rounds.release : rounds.ci;
}

interface Tried {
  readonly suite: Suite;
  /** Null when its process ended without a word. */
  readonly outcome: Outcome | null;
  readonly problems: readonly string[];
  /** How long, and with what work. */
  readonly took: string;
}

/** A process of its own: memory and CPU are counted for the suite alone, and a crash is its own. */
async function inItsProcess(suite: Suite): Promise<Tried> {
  const begun = performance.now();
  const child = fork(
    fileURLToPath(import.meta.url),
    [suite.name, "--rounds", String(roundsOf(suite)), "--seed", values.seed],
    { stdio: ["ignore", "ignore", "inherit", "ipc"], env: { ...process.env, HOME: nobodysHome() } },
  );
  let outcome: Outcome | null = null;
  child.on("message", (message: Outcome) => (outcome = message));
  const [code] = await once(child, "exit");
  const tried = triedOf(suite, outcome, Number(code), (performance.now() - begun) / 1_000);
  report(tried);
  return tried;
}

function triedOf(suite: Suite, outcome: Outcome | null, code: number, seconds: number): Tried {
  const problems = outcome === null ? [`its process ended with ${code} and said nothing`] : outcome.problems;
  const cpu = outcome === null ? "" : `, ${outcome.cpuSeconds.toFixed(0)} CPU s`;
  return { suite, outcome, problems, took: `${seconds.toFixed(0)} s${cpu}` };
}

function report({ suite, outcome, problems, took }: Tried): void {
  console.log(`${problems.length === 0 ? "passed" : "FAILED"}  ${suite.name}: ${suite.promise} (${took})`);
  if (outcome !== null) console.log(`        ${figuresLine(suite.name, outcome.figures)}`);
  for (const problem of problems) console.log(`        ${problem}`);
}

function machine(): string {
  return `${cpus().length} x ${cpus()[0]?.model ?? "?"}, ${type()} ${release()}, Node ${process.versions.node}, seed ${values.seed}`;
}

/** For docs/RELIABILITY.md; suites that were not run this time keep the figures they had. */
function keepFigures(tried: readonly Tried[]): void {
  const columns = ["", "what holds", "figures", "took"];
  const seen = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    columns,
    rows: tried.map(rowOf),
  };
  keep(values.release ? "torture-release" : "torture", seen, {
    only: positionals.length > 0 || process.platform !== "linux",
  });
}

function rowOf({ suite: { name, promise, listed }, outcome, problems, took }: Tried): readonly string[] {
  const figures = Object.entries(outcome?.figures ?? {}).filter(
    ([what, count]) => count === 0 || (listed?.includes(what) ?? true),
  );
  const counted = outcome === null ? [] : [figuresCell(Object.fromEntries(figures))];
  const missed = problems.length === 0 ? [] : [`**${problems.join("; ")}**`];
  return [name, promise, [...counted, ...missed].join(". "), took];
}

function byNumber({ suite: a }: Tried, { suite: b }: Tried): number {
  return Number(a.name.slice(1)) - Number(b.name.slice(1));
}

async function one(): Promise<number> {
  const suite = suites.find(({ name }) => name === positionals[0]);
  if (suite === undefined) return 2;
  const figures = await suite.run(roundsOf(suite), Number(values.seed));
  const outcome: Outcome = { figures, problems: suite.judge(figures), cpuSeconds: cpuSeconds() };
  process.send?.(outcome);
  return 0;
}

/**
 * Of this process and of all children it has waited for: fields 14 to 17 of proc(5)'s stat, in ticks of 10 ms. Elsewhere
 * than on Linux nobody tells of the children.
 */
function cpuSeconds(): number {
  if (process.platform !== "linux") {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const stat = readFileSync("/proc/self/stat", "latin1");
  const ticks = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(14 - 3, 18 - 3);
  return ticks.reduce((sum, count) => sum + Number(count), 0) / 100;
}
