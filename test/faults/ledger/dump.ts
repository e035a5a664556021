/** All rows of a ledger as text, to compare one moment with another. */
import { createHash } from "node:crypto";
import { connectUnchecked } from "../../../src/ledger/connect.ts";
import { sealedTables } from "../../../src/ledger/schema/seals.ts";

export interface Dump {
  /** Rows of the tables that decide, and of those that tell what happened, as JSON, by table. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
  /** Two ledgers with the same digest hold the same. */
  readonly state: string;
  readonly history: string;
}

export function dump(path: string): Dump {
  const db = connectUnchecked(path);
  try {
    const rows = new Map<string, readonly string[]>();
    const [state, history] = [createHash("sha1"), createHash("sha1")];
    for (const { name: here, columns, decides, about } of sealedTables(db)) {
      // By its name of today: a migration that renames a table changes no row.
      const name = about?.name ?? here;
      const found = db.prepare(`SELECT ${columns.join(", ")} FROM ${here} ORDER BY rowid`).all();
      const texts = found.map((row) => JSON.stringify(row));
      rows.set(name, texts);
      (decides ? state : history).update(`${name}\n${texts.join("\n")}\n`);
    }
    return { rows, state: state.digest("hex"), history: history.digest("hex") };
  } finally {
    db.close();
  }
}
