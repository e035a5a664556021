/** Forgets history by age, a little at a time: who else writes waits for one small transaction at most. */
import type Database from "better-sqlite3";
import type { Instant } from "../domain/time.ts";

/** The tables that only grow, and that nothing depends on. Turns are few, and part of a run's account. */
const agingTables = ["events", "tool_calls"] as const;

/** Deletes at most `rowsMax` rows of each table, the oldest first; to be called inside a transaction. */
export function pruner(db: Database.Database): (before: Instant, rowsMax: number) => number {
  const statements = agingTables.map((table) =>
    db.prepare<[number, number]>(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE at < ? ORDER BY at LIMIT ?)`,
    ),
  );
  return (before, rowsMax) =>
    statements.reduce((gone, statement) => gone + statement.run(before, rowsMax).changes, 0);
}

export interface Aged {
  readonly table: string;
  readonly rows: number;
  /** How many of them are older than asked for. */
  readonly old: number;
}

/** What a prune would find. */
export const agedRows = (db: Database.Database, before: Instant): readonly Aged[] =>
  agingTables.map((table) => {
    const count = (where: string, ...params: readonly number[]): number =>
      db
        .prepare<number[], number>(`SELECT count(*) FROM ${table} ${where}`)
        .pluck()
        .get(...params) ?? 0;
    return { table, rows: count(""), old: count("WHERE at < ?", before) };
  });
