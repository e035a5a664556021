import { expect, test } from "vitest";
import { liveThrough, seedsFrom } from "./days.ts";
import { tooRare } from "./figures.ts";
import { figuresText } from "./page.ts";

/** Twenty more, with other seeds, are a part of every run of CI (test/faults/daemon/simulated-days.ts). */
const WORLDS = 10;
const DAYS = 30;

/** Twenty seconds when the machine is quiet. */
const TIMEOUT_MS = 300_000;

test(
  `in ${WORLDS} worlds every rule holds for ${DAYS} days, and every kind of fault happens`,
  () => {
    const { figures, violated } = liveThrough(seedsFrom(1, WORLDS), DAYS);
    process.stdout.write(`Simulated worlds from seed 1:\n${figuresText(figures)}\n`);
    expect(violated).toEqual([]);
    expect(tooRare(figures.counts)).toEqual([]);
    // The kinds of steps that write, each before and after; and those that set several things going.
    expect(figures.killedIn.size).toBeGreaterThanOrEqual(KILLED_IN_LEAST);
  },
  TIMEOUT_MS,
);

const KILLED_IN_LEAST = 30;
