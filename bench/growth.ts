/** Whether a ticket costs the same when there are more of them, or more at once. */
import { aside, median, multiple, type Figure } from "./figure.ts";
import { type BoardResult, fullBoard } from "./full-board.ts";

const TURNS = 3;

/** Ten minutes for 2,000 tickets: twice what they take beside other work. */
const WITHIN_MS = 10 * 60_000;

const usual = { tickets: 200, slots: 20 };
const many = { tickets: 2_000, slots: 20 };
const wide = { tickets: 300, slots: 100 };

/** Of the usual board before, between and after the others: the hour changes meanwhile. */
const order = [usual, wide, usual, many, usual] as const;

/** "The same" is within a tenth. */
const SAME_SHARE = 1.1;

export async function growth(): Promise<readonly Figure[]> {
  const results: { readonly of: (typeof order)[number]; readonly result: BoardResult }[] = [];
  for (const of of order) {
    results.push({ of, result: await fullBoard({ ...of, turns: TURNS, withinMs: WITHIN_MS }) });
  }
  const middle = (of: (typeof order)[number], pick: (result: BoardResult) => number): number =>
    median(results.filter((one) => one.of === of).map(({ result }) => pick(result)));
  const perTicket = (of: (typeof order)[number]): number =>
    middle(of, ({ cpu, startCpu }) => ((cpu - startCpu) * 1000) / of.tickets);
  const peak = (of: (typeof order)[number]): number => middle(of, (result) => result.peak);
  const problem = results.find(({ result }) => result.problem !== null)?.result.problem;
  return [
    {
      what: "all these tickets",
      measured: problem ?? "all done",
      target: "all done",
      met: problem === undefined,
      how: `${TURNS} turns each; the usual board three times, the others once`,
    },
    ...[usual, many, wide].map((of) =>
      aside(
        `${of.tickets} tickets, ${of.slots} slots`,
        `${perTicket(of).toFixed(1)} CPU ms a ticket`,
        `without the start; peak RSS ${peak(of).toFixed(0)} MB`,
      ),
    ),
    // Warming up is shared by all tickets, so that many are cheaper each: only dearer is growth.
    ...[many, wide].map((of) =>
      multiple(
        `  CPU of ${of.tickets} with ${of.slots} slots to the usual board`,
        perTicket(of) / perTicket(usual),
        {
          max: SAME_SHARE,
          how: "per ticket",
        },
      ),
    ),
    multiple("  peak RSS, many to usual", peak(many) / peak(usual), {
      max: SAME_SHARE,
      how: `${many.tickets} tickets to ${usual.tickets}`,
    }),
  ];
}
