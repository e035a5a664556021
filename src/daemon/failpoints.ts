/**
 * The named moments of a daemon's life at which crashes are tried. The product only passes by them: what happens there
 * comes in through composition, and only test/faults gives anything. Names are made of the vocabulary of decisions.
 */
import type { Decision, LedgerRecord, Work } from "../scheduler/scheduler.ts";

/** What is written down, and what is done. */
export type Kind = LedgerRecord["type"] | Work["type"];

/**
 * `before commit`, `after commit`: of the step that has the record or the work, and before any work of it is begun. `after
 * effect`: of work, when its runner has come to its end; of a record, when all work of its step has begun.
 */
export type Moment = "before commit" | "after commit" | "after effect";

/** What a start does, in this order. */
export type StartStep =
  | "lock taken"
  | "ledger opened"
  | "survivors ended"
  | "recovery committed"
  | "first polls begun";

export type Point = `${Kind}: ${Moment}` | `start: ${StartStep}`;

/** Called when the daemon comes by. */
export type Failpoint = (point: Point) => void;

/** Comes by this moment once for each record and each piece of work, in their order. */
export function passBy(
  failpoint: Failpoint,
  { records, work }: Pick<Decision, "records" | "work">,
  moment: Moment,
): void {
  for (const { type } of [...records, ...work]) failpoint(`${type}: ${moment}`);
}
