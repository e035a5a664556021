/** The daemon's care for its ledger: what no start looks at is looked at, old history goes, and the log stays small. */
import { LedgerError } from "./ledger-error.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "../domain/domain.ts";
import type { Ledger } from "./port.ts";

/** Rows of each table in one transaction: some milliseconds, in which nothing else of the daemon runs. */
export const ROWS_AT_ONCE = 500;
/** Between two of them, for the daemon's own work. */
const PAUSE_MS = 25;
/** Half a million rows; what is left is old enough to wait for the next time. */
const STEPS_MAX = 1_000;

/** A log above this means that some program has kept a read transaction open for a long time. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024;

/** Five million rows that the start did not look at; what is beyond, the next time looks at. */
const LOOKS_MAX = 10_000;
/** Of what is found: more of it says nothing more. */
const FOUND_MAX = 5;

export interface Tended {
  /** Rows forgotten. */
  readonly forgotten: number;
  /** What a person should know. */
  readonly warnings: readonly string[];
}

/**
 * Looks at what the start did not look at, forgets history older than `before` and looks after the log. Takes as long as
 * it takes, in steps; never throws, and ends when the ledger is closed or cannot be written: the next time goes on where
 * this one stopped.
 */
export async function tendLedger(
  ledger: Pick<Ledger, "look" | "prune" | "tidy">,
  before: Instant,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, null, { ref: false }),
): Promise<Tended> {
  const found = new Set<string>();
  let forgotten = 0;
  try {
    for (let step = 0; step < LOOKS_MAX; step += 1) {
      const wrong = ledger.look(ROWS_AT_ONCE);
      if (wrong === null) break;
      for (const what of wrong) if (found.size < FOUND_MAX) found.add(what);
      await pause(PAUSE_MS);
    }
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const gone = ledger.prune(before, ROWS_AT_ONCE);
      forgotten += gone;
      if (gone < ROWS_AT_ONCE) break;
      await pause(PAUSE_MS);
    }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
  }
  return { forgotten, warnings: [...aboutRows([...found]), ...aboutLog(ledger.tidy().logBytes)] };
}

const aboutRows = (found: readonly string[]): readonly string[] =>
  found.length === 0
    ? []
    : [
        `The ledger has rows that are not as they were written: ${found.join("; ")}. What to do: \`baton ledger check\` ` +
          `says more, and have the disk checked. Where runs or tickets are named, restart the daemon when you can: it keeps ` +
          `what is damaged beside and goes on with what can be read. Damaged history is left as it is.`,
      ];

const aboutLog = (bytes: number): readonly string[] =>
  bytes <= LOG_BYTES_MAX
    ? []
    : [
        `The ledger's write-ahead log has grown to ${Math.round(bytes / 1024 / 1024)} MiB, because some program has a ` +
          `read transaction open on the ledger. What to do: close SQL shells that are left in a transaction.`,
      ];
