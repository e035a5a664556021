/** Warnings among what happened, the same ones counted together. Pure. */
import type { Instant } from "../domain/domain.ts";
import { describe } from "../facts/facts.ts";
import type { TimelineRow } from "../ledger/ledger.ts";

export interface Trouble {
  readonly level: "warn" | "error";
  readonly message: string;
  readonly count: number;
  readonly last: Instant;
}

/** More would not be read. */
const TROUBLES_MAX = 8;

/** The latest first. What a person did or asked for is no trouble. */
export function troubles(rows: readonly TimelineRow[]): readonly Trouble[] {
  const found = new Map<string, Trouble>();
  for (const { at, fact } of rows) {
    const { level, message } = describe(fact);
    if ((level !== "warn" && level !== "error") || toldElsewhere.has(fact.type)) continue;
    const before = found.get(message);
    found.delete(message);
    found.set(message, { level, message, count: (before?.count ?? 0) + 1, last: at });
  }
  return [...found.values()].reverse().slice(0, TROUBLES_MAX);
}

/** Parks, holds and pauses stand on their own while they last. */
const toldElsewhere: ReadonlySet<string> = new Set([
  "parked",
  "unparked",
  "held",
  "hold_ended",
  "paused",
  "resumed",
]);
