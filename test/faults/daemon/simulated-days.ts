/** Simulated days, in which every fault happens and every rule is looked at after every step (test/sim/). */
import { liveThrough, seedsFrom } from "../../sim/days.ts";
import { tooRare } from "../../sim/figures.ts";
import { all, atLeast, none } from "../judge.ts";
import type { Suite } from "../suite.ts";

/** As long as it takes for ledgers, boards and counters to grow, and for the rarest faults to meet. */
const DAYS = 30;

const KILLED_IN_LEAST = 30;

export const simulatedDays: Suite = {
  name: "F19",
  promise:
    "whatever goes wrong in whatever order, every rule holds after every step, and all work ends when faults do",
  rounds: { test: 10 * DAYS, ci: 600, release: 6_000 },
  listed: ["rounds", "worlds", "killedIn", "starts", "steps", "runs", "parks", "ticketsDone"],
  run: (days, seed) => {
    const worlds = Math.max(1, Math.round(days / DAYS));
    const { figures, violated } = liveThrough(seedsFrom(seed, worlds), DAYS);
    for (const line of violated) process.stderr.write(`${simulatedDays.name} ${line}\n`);
    const killedIn = figures.killedIn.size;
    return Promise.resolve({
      rounds: figures.counts.days,
      violated: violated.length,
      worlds,
      killedIn,
      ...figures.counts,
    });
  },
  judge: (figures) =>
    all(
      none("violated"),
      tooRare,
      // The kinds of steps that write, each before and after; and those that set several things going.
      atLeast({ killedIn: (figures["rounds"] ?? 0) < 10 * DAYS ? 0 : KILLED_IN_LEAST }),
    )(figures),
};
