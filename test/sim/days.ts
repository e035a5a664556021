/** Worlds lived through one after the other, and what they come to. */
import { Figures } from "./figures.ts";
import type { Violation } from "./rules.ts";
import { World, type WorldOptions } from "./world.ts";

export interface Lived {
  readonly figures: Figures;
  /** One line for each world in which a rule was violated, with how to see it again. */
  readonly violated: readonly string[];
}

export function liveThrough(seeds: readonly number[], days: number, decide?: WorldOptions["decide"]): Lived {
  const figures = new Figures();
  const violated: string[] = [];
  for (const seed of seeds) {
    const world = new World({ seed, days, ...(decide === undefined ? {} : { decide }) });
    const [violation] = world.run();
    figures.addAll(world.figures);
    if (violation !== undefined) violated.push(violationLine(violation, seed, days));
  }
  return { figures, violated };
}

export const violationLine = ({ rule, words }: Violation, seed: number, days: number): string =>
  `${rule}: ${words}. Replay: npm run sim -- --seed ${seed} --days ${days}`;

/** `first`, and so many in all. */
export const seedsFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => first + n);
