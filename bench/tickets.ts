/** A full board: 200 tickets of 3 turns each, 20 at a time. */
import { aside, bounded, median, type Figure } from "./figure.ts";
import { type BoardResult, fullBoard } from "./full-board.ts";

const TICKETS = 200;
const TURNS = 3;
const SLOTS = 20;
const REPEATS = 3;
const WITHIN_MS = 120_000;

/** The board that others measure as well, with what they measure it by. */
export const usualBoard = { tickets: TICKETS, turns: TURNS, slots: SLOTS, withinMs: WITHIN_MS } as const;

export async function tickets(): Promise<readonly Figure[]> {
  const results: BoardResult[] = [];
  for (let i = 0; i < REPEATS; i++) results.push(await fullBoard(usualBoard));
  const of = (pick: "cpu" | "peak" | "seconds"): number => median(results.map((result) => result[pick]));
  const each = results.map((result) => result.cpu.toFixed(2)).join(" ");
  const wrong = results.find(({ problem }) => problem !== null)?.problem;
  return [
    {
      what: `${TICKETS} tickets x ${TURNS} turns, ${SLOTS} slots`,
      measured: wrong ?? "all done",
      target: `${TICKETS} threads, ${TICKETS * TURNS} turns`,
      met: wrong === undefined,
      how: `told by the agents and by the ledger, ${REPEATS} times; ${of("seconds").toFixed(1)} s each`,
    },
    bounded("  CPU of the daemon", of("cpu"), { max: 4, unit: "CPU s", digits: 2, how: `median of ${each}` }),
    bounded("  peak RSS", of("peak"), { max: 200, unit: "MB", digits: 0, how: `median of ${REPEATS}` }),
    aside(
      "  CPU per turn",
      `${((of("cpu") / TICKETS / TURNS) * 1000).toFixed(1)} CPU ms`,
      "start of the process included",
    ),
  ];
}
