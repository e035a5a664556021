/** Forgetting history on somebody's order, while a daemon may be writing to the same file. */
import Database from "better-sqlite3";
import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "../domain/domain.ts";
import { BUSY_MS, connectReadOnly } from "./connect.ts";
import { guarded } from "./errors.ts";
import { type Aged, agedRows, pruner } from "./prune.ts";
import { ROWS_AT_ONCE } from "./tend.ts";

/** Between two of its transactions: the daemon's commits come first. */
const PAUSE_MS = 20;

/** What of the ledger's history is older than `before`. @throws LedgerError */
export function agedIn(path: string, before: Instant): readonly Aged[] {
  const db = connectReadOnly(path);
  try {
    return guarded(path, "reading", () => agedRows(db, before));
  } finally {
    db.close();
  }
}

/** Forgets it, and says how many rows are gone. @throws LedgerError: what is gone by then is gone. */
export async function pruneFile(path: string, before: Instant): Promise<number> {
  // Asked first, by a connection that makes and migrates nothing.
  connectReadOnly(path).close();
  const db = guarded(path, "opening", () => new Database(path, { fileMustExist: true, timeout: BUSY_MS }));
  try {
    const prune = pruner(db);
    let total = 0;
    for (;;) {
      const gone = guarded(path, "writing to", () =>
        db.transaction(() => prune(before, ROWS_AT_ONCE)).immediate(),
      );
      total += gone;
      if (gone < ROWS_AT_ONCE) return total;
      await sleep(PAUSE_MS);
    }
  } finally {
    db.close();
  }
}
