/**
 * The way to end a group of processes: it is asked, each time harder and with time to go, and then killed with all that
 * hangs on it. Every wait is bounded. Agents, hooks and what an earlier daemon left behind are ended by it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Family } from "./family.ts";
import { killQuietly } from "./kill.ts";

/** One way to ask. */
export interface Step {
  readonly ask: () => void;
  /** Time to go before the next step. */
  readonly waitMs: number;
}

export interface Ending {
  /** Looked at before each step, while its members still hang together: what cleaned its traces is known by that alone. */
  readonly family: Family;
  /** Killed as a whole besides; null when they have no group in common. */
  readonly group: number | null;
  readonly steps: readonly Step[];
  /** Whether those who were asked have gone within so many milliseconds. */
  readonly gone: (ms: number) => Promise<boolean>;
  /** For killing what is left, and what that forks meanwhile. */
  readonly killMs: number;
}

/** Members are looked for again after this: one may have forked between being found and being killed. */
const LOOK_EVERY_MS = 25;

/** Returns when none is left, or time is up: the pids of those that would not end. */
export async function end({ family, group, steps, gone, killMs }: Ending): Promise<readonly number[]> {
  for (const { ask, waitMs } of steps) {
    family.look();
    ask();
    if (await gone(waitMs)) break;
  }
  if (group !== null) killQuietly(-group, "SIGKILL");
  const until = performance.now() + killMs;
  let left = family.kill();
  while ((left.length > 0 || !family.sawAll) && performance.now() < until) {
    await sleep(LOOK_EVERY_MS);
    left = family.kill();
  }
  return left;
}

/** Looks until `isOver`, at most so long; whether it is. For what nobody tells of. */
export async function eventually(ms: number, isOver: () => boolean): Promise<boolean> {
  const until = performance.now() + ms;
  while (!isOver()) {
    if (performance.now() >= until) return false;
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}
