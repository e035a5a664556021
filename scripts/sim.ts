/**
 * Replays simulated worlds: the real scheduler, loop and recovery in virtual time, with seeded faults (test/sim/).
 *
 *   npm run sim -- --seed 42                          one world, told line by line
 *   npm run sim -- --seed 42 --from 3 --until 4       only those days of it (the first day is day 1)
 *   npm run sim -- --seed 42 --bug "a retry comes"    with a scheduler that is broken on purpose
 *   npm run sim -- --seeds 1..200                     many worlds, one line each
 *
 * Exit 1 when a rule was violated, 2 when the command cannot be understood.
 */
import { parseArgs } from "node:util";
import { paintFor } from "../src/terminal/colour.ts";
import { counted, duration, number } from "../src/facts/words.ts";
import { decide } from "../src/scheduler/decide.ts";
import { BUGS, type BugName } from "../test/sim/bugs.ts";
import { liveThrough } from "../test/sim/days.ts";
import { Figures } from "../test/sim/figures.ts";
import { dayOf, figuresText, lineText, violationText } from "../test/sim/page.ts";
import type { Line } from "../test/sim/transcript.ts";
import { World } from "../test/sim/world.ts";

/** The last lines that are kept, to be told again when a rule is violated. */
const KEPT_MAX = 20_000;

/** Enough to see what led to a violation. */
const LAST_LINES = 30;

const paint = paintFor({ isTerminal: process.stdout.isTTY });

const OPTIONS = {
  seed: { type: "string" },
  seeds: { type: "string" },
  days: { type: "string", default: "30" },
  bug: { type: "string" },
  from: { type: "string", default: "1" },
  until: { type: "string", default: "1000000" },
  all: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const HELP = `Replays simulated worlds: the real scheduler in virtual time, with faults by seed.

  npm run sim -- --seed N         tell one world line by line
  npm run sim -- --seeds A..B     live through many worlds, one line each

  --days D        days each world lives (30)
  --from DAY      tell from this day on; the first one is day 1
  --until DAY     tell up to this day
  --all           tell also what the daemon asks, hears and writes down at each step
  --bug NAME      with a scheduler that is broken on purpose; a part of the name will do

The same seed is the same world on every machine, as long as test/sim/ stays as it is.`;

process.exitCode = command()();

/** What is asked for; an answer that says what is wrong with the question when it cannot be understood. */
function command(): () => number {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.help) return () => say(HELP);
    const days = wholeNumber("--days", values.days);
    const bug = values.bug === undefined ? null : bugNamed(values.bug);
    if (values.seeds !== undefined) {
      const seeds = range(values.seeds);
      return () => tellMany(seeds, days, bug);
    }
    if (values.seed === undefined) throw new Error(`Name a world: --seed N, or --seeds A..B.\n\n${HELP}`);
    const seed = wholeNumber("--seed", values.seed);
    const [from, until] = [wholeNumber("--from", values.from), wholeNumber("--until", values.until)];
    return () => tell(seed, days, bug, { from, until, all: values.all });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return () => refuse(why);
  }
}

/** One world, line by line. */
function tell(
  seed: number,
  days: number,
  bug: BugName | null,
  { from, until, all }: { readonly from: number; readonly until: number; readonly all: boolean },
): number {
  const lines: Line[] = [];
  const read = (line: Line): void => {
    lines.push(line);
    if (lines.length > KEPT_MAX) lines.splice(0, KEPT_MAX / 2);
    const day = dayOf(line.at);
    if (day >= from && day <= until && (all || line.kind !== "gear")) console.log(lineText(line, paint));
  };
  const world = new World({ seed, days, decide: schedulerWith(bug), read });
  const [violation] = world.run();
  console.log(
    `\n${paint("bold", `What happened in the world of seed ${seed}`)}\n${figuresText(world.figures)}\n`,
  );
  if (violation === undefined) return say(paint("green", `All rules held for ${counted(days, "day")}.`));
  const { issue } = violation;
  const about = issue === null ? lines : lines.filter((line) => line.issue === issue || line.who === "Baton");
  console.log(violationText(violation, about.slice(-LAST_LINES), paint));
  return 1;
}

/** Many worlds, one line each; and what they come to. */
function tellMany(seeds: readonly number[], days: number, bug: BugName | null): number {
  const sum = new Figures();
  let failed = 0;
  const begun = performance.now();
  for (const seed of seeds) {
    const from = performance.now();
    const { figures, violated } = liveThrough([seed], days, schedulerWith(bug));
    sum.addAll(figures);
    failed += violated.length;
    const took = duration(performance.now() - from).padStart(8);
    console.log(`seed ${String(seed).padStart(6)}  ${took}  ${outcome(figures, violated, bug)}`);
  }
  console.log(`\n${figuresText(sum)}\n`);
  const worlds = `${counted(seeds.length, "world")} of ${counted(days, "day")} in ${duration(performance.now() - begun)}`;
  if (failed === 0) return say(paint("green", `All rules held in ${worlds}.`));
  console.log(paint("red", paint("bold", `Rules were violated in ${failed} of ${worlds}.`)));
  return 1;
}

function outcome({ counts }: Figures, [violation]: readonly string[], bug: BugName | null): string {
  if (violation !== undefined)
    return paint("red", `VIOLATED ${violation}${bug === null ? "" : ` --bug "${bug}"`}`);
  const { runs, starts, ticketsDone, parks } = counts;
  const held = paint("green", "held    ");
  return `${held} ${number(runs)} runs, ${number(starts)} starts, ${ticketsDone} tickets done, ${parks} parked`;
}

function schedulerWith(bug: BugName | null): typeof decide {
  return bug === null ? decide : BUGS[bug](decide);
}

function bugNamed(part: string): BugName {
  const names = Object.keys(BUGS) as BugName[];
  const fitting = names.filter((name) => name.includes(part));
  const exact = names.find((name) => name === part) ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (exact !== undefined) return exact;
  const list = (fitting.length > 0 ? fitting : names).map((name) => `  ${name}`).join("\n");
  throw new Error(
    `${fitting.length === 0 ? "No bug is" : "More than one bug is"} called "${part}". There is:\n${list}`,
  );
}

function range(text: string): readonly number[] {
  const [, first, last] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
  if (first === undefined || last === undefined || Number(last) < Number(first))
    throw new Error(`--seeds takes a range like 1..20, not "${text}".`);
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => Number(first) + n);
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${option} takes a whole number, not "${text}".`);
  return Number(text);
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function refuse(text: string): number {
  console.error(`sim: ${text}`);
  return 2;
}
