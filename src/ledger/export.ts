/**
 * All rows of a ledger as plain objects, for other programs. In pages, each a short transaction of its own: however slow
 * the reader is, the daemon's log does not grow for it. What is written meanwhile may be seen or not; for one moment of
 * everything, export a backup.
 */
import type Database from "better-sqlite3";
import { connectReadOnly } from "./connect.ts";
import { guarded } from "./errors.ts";
import { versionOf } from "./schema/schema.ts";
import { sealedTables } from "./schema/schema.ts";

const PAGE_ROWS = 500;

/** One line of an export: the first says what follows, each of the others is a row with its columns as in the schema. */
export type ExportLine =
  | { readonly ledger: { readonly schema: number; readonly tables: readonly string[] } }
  | { readonly table: string; readonly row: Readonly<Record<string, unknown>> };

/** @throws LedgerError while it is read, too. Rows are given as they are; what is JSON in the ledger is text here. */
export function* exportLines(path: string): Generator<ExportLine> {
  const db = connectReadOnly(path);
  try {
    const tables = sealedTables(db);
    yield { ledger: { schema: versionOf(db), tables: tables.map(({ name }) => name) } };
    for (const { name, columns } of tables) yield* rowsOf(db, path, name, columns);
  } finally {
    db.close();
  }
}

type Row = Readonly<Record<string, unknown>>;

function* rowsOf(
  db: Database.Database,
  path: string,
  table: string,
  columns: readonly string[],
): Generator<ExportLine> {
  const page = db.prepare<[number, number], Row & { readonly rowid_: number }>(
    `SELECT rowid AS rowid_, ${columns.join(", ")} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  );
  for (let after = -1; ; ) {
    const rows = guarded(path, "reading", () => page.all(after, PAGE_ROWS));
    for (const { rowid_: _, ...row } of rows) yield { table, row };
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.rowid_;
  }
}
