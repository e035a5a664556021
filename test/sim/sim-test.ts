/** The simulation as a test, for some seeds; two files share the seeds, since each file has a core of its own. */
import { expect, test } from "vitest";
import { liveThrough, seedsFrom } from "./days.ts";
import { tooRare } from "./figures.ts";
import { figuresText } from "./page.ts";

const WORLDS = 10;
const DAYS = 30;

/** Twenty seconds when the machine is quiet. */
const TIMEOUT_MS = 300_000;

export function testWorlds(first: number): void {
  test(
    `in the worlds of seeds ${first} to ${first + WORLDS - 1} every rule holds for ${DAYS} days, and every kind of fault happens`,
    () => {
      const { figures, violated } = liveThrough(seedsFrom(first, WORLDS), DAYS);
      process.stdout.write(`Simulated worlds from seed ${first}:\n${figuresText(figures)}\n`);
      expect(violated).toEqual([]);
      expect(tooRare(figures.counts)).toEqual([]);
      // The kinds of steps that write, each before and after; and those that set several things going.
      expect(figures.killedIn.size).toBeGreaterThanOrEqual(KILLED_IN_LEAST);
    },
    TIMEOUT_MS,
  );
}

const KILLED_IN_LEAST = 30;
