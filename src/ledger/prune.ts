/** Forgets history by age, a little at a time: who else writes waits for one small transaction at most. */
import type Database from "better-sqlite3";
import type { Instant } from "../domain/domain.ts";
import { tables } from "./schema/schema.ts";

/** The tables whose rows become too old, and by which column. */
const aging = tables.flatMap(({ name, agedBy }) => (agedBy === null ? [] : [{ name, agedBy }]));

/** Deletes at most `rowsMax` rows of each table, the oldest first; to be called inside a transaction. */
export function pruner(db: Database.Database): (before: Instant, rowsMax: number) => number {
  const statements = aging.map(({ name, agedBy }) =>
    db.prepare<[number, number]>(
      `DELETE FROM ${name} WHERE rowid IN (SELECT rowid FROM ${name} WHERE ${agedBy} < ? ORDER BY ${agedBy} LIMIT ?)`,
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
  aging.map(({ name: table, agedBy }) => {
    const count = (where: string, ...params: readonly number[]): number =>
      db
        .prepare<number[], number>(`SELECT count(*) FROM ${table} ${where}`)
        .pluck()
        .get(...params) ?? 0;
    return { table, rows: count(""), old: count(`WHERE ${agedBy} < ?`, before) };
  });
