/** The daemon's care for its ledger: old history goes, a little at a time, and the log stays small. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "../domain/time.ts";
import { LedgerError, type Ledger } from "./port.ts";

/** Rows of each table in one transaction: some milliseconds, in which nothing else of the daemon runs. */
export const rowsAtOnce = 500;
/** The daemon's turn between two of them. */
const pauseMs = 25;
/** Half a million rows; what is left is old enough to wait for the next time. */
const stepsMax = 1_000;

/** A log above this means that some program has kept a read transaction open for a long time. */
export const logBytesMax = 64 * 1024 * 1024;

export interface Tended {
  /** Rows forgotten. */
  readonly forgotten: number;
  /** What a person should know; null = nothing. */
  readonly warning: string | null;
}

/**
 * Forgets history older than `before` and looks after the log. Takes as long as it takes, in steps; never throws, and
 * ends when the ledger is closed or cannot be written: the next time goes on where this one stopped.
 */
export async function tendLedger(
  ledger: Pick<Ledger, "prune" | "tidy">,
  before: Instant,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, null, { ref: false }),
): Promise<Tended> {
  let forgotten = 0;
  try {
    for (let step = 0; step < stepsMax; step += 1) {
      const gone = ledger.prune(before, rowsAtOnce);
      forgotten += gone;
      if (gone < rowsAtOnce) break;
      await pause(pauseMs);
    }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
  }
  return { forgotten, warning: aboutLog(ledger.tidy().logBytes) };
}

const aboutLog = (bytes: number): string | null =>
  bytes <= logBytesMax
    ? null
    : `The ledger's write-ahead log has grown to ${Math.round(bytes / 1024 / 1024)} MiB, because some program has a ` +
      `read transaction open on the ledger. What to do: close SQL shells that are left in a transaction.`;
