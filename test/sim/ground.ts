/** What everybody in a simulated world stands on: time, chance, the board, the agents; and the count of what happens. */
import type { RunId, ThreadId } from "../../src/domain/run.ts";
import type { AgentProcess } from "./agents.ts";
import type { Board } from "./board.ts";
import type { Faults } from "./faults.ts";
import type { Counted, Figures } from "./figures.ts";
import type { Random } from "./random.ts";
import { DAY_MS, HOUR_MS, type Timeline } from "./timeline.ts";
import type { Outages } from "./outages.ts";
import type { Prompts } from "./prompts.ts";
import type { Tell } from "./transcript.ts";

export interface Ground {
  readonly timeline: Timeline;
  readonly random: Random;
  /** How a turn goes silent, apart from `random`. */
  readonly silences: Random;
  /** Which issue an answer by id leaves out, apart from `random`. */
  readonly absences: Random;
  /**
   * Chance of its own for what was added later: a draw from `random` would shift all that follow it, and with them what
   * each seed shows. By name, the same one each time.
   */
  readonly stream: (name: string) => Random;
  /** What each agent of the model's own has used. */
  readonly used: Map<ThreadId, number>;
  readonly board: Board;
  readonly figures: Figures;
  readonly tell: Tell;
  /** All agents with a process, of whichever daemon. */
  readonly agents: Set<AgentProcess>;
  /** What each thread has really used. */
  readonly threads: Map<ThreadId, number>;
  /** Threads that can never go on, and how: mute when they are resumed, or too full for another turn. */
  readonly deadThreads: Map<ThreadId, "mute" | "full">;
  readonly faults: () => Faults;
  /** What is no ticket's fault, now. */
  readonly outages: () => Outages;
  /** For which tickets no prompt can be made. */
  readonly prompts: () => Prompts;
  /** Runs that such an outage has ended, in truth: by its number. */
  readonly struck: Map<RunId, number>;
  /** Everybody does what they should, and quickly. */
  readonly calm: () => boolean;
}

/** Whether a fault of this probability happens now; if so, it is counted. */
export function strikes({ random, figures }: Ground, probability: number, what: Counted): boolean {
  if (!random.chance(probability)) return false;
  figures.add(what);
  return true;
}

type PerDay = Extract<keyof Faults, `${string}PerDay`>;

/** So many times per day, at random; not at all in calm times. */
export function often(
  { timeline, random, calm, faults }: Ground,
  perDay: PerDay | number,
  act: () => void,
): void {
  const next = (): void => {
    const rate = typeof perDay === "number" ? perDay : faults()[perDay];
    const happens = rate > 0 && !calm();
    timeline.in(happens ? (-Math.log(1 - random.next()) * DAY_MS) / rate : HOUR_MS, () => {
      if (happens && !calm()) act();
      next();
    });
  };
  next();
}
