/**
 * Checksums, against what SQLite does not notice: a bit that flipped in a value, a row that is gone, a page of another
 * time. Every row carries a seal over its columns, written with it (rows.ts); for each table that decides, the sum of its
 * seals stands in `seals`, changed in the same transaction. The database itself needs no function for them, and other
 * programs can read it.
 */
import type Database from "better-sqlite3";
import { crc32 } from "node:zlib";
import { type Table, tableNamed } from "./tables.ts";

/** A table as a database has it; an older one may have it under another name, with fewer columns. */
export interface SealedTable {
  /** As this database calls it: part of each row's seal. */
  readonly name: string;
  /** Without `seal`, in the order in which they were added. */
  readonly columns: readonly string[];
  /** Its seals have a sum. */
  readonly decides: boolean;
  /** What the catalogue says of it; null = a table that is not in it. */
  readonly about: Table | null;
}

/** The tables whose rows have a seal, in the order in which they were made. */
export const sealedTables = (db: Database.Database): readonly SealedTable[] =>
  db
    .prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all()
    .map((name) => ({ name, all: columnsOf(db, name), about: tableNamed(name) }))
    .filter(({ all }) => all.includes("seal"))
    .map(({ name, all, about }) => ({
      name,
      columns: all.filter((column) => column !== "seal"),
      // What nobody knows is rather looked at than not.
      decides: about?.decides ?? true,
      about,
    }));

/** Makes the function of the seals known to this connection. */
export function knowSeals(db: Database.Database): void {
  db.function("row_seal", { varargs: true, deterministic: true }, (name: Value, ...values: Value[]) =>
    sealOf(String(name), values),
  );
}

/**
 * Seals all rows of the tables that decide anew, or those of other tables too: for changes that were made in SQL, as
 * migrations are.
 */
export function reseal(db: Database.Database, which = ({ decides }: SealedTable): boolean => decides): void {
  knowSeals(db);
  const deciding = sealedTables(db).filter(({ decides }) => decides);
  for (const table of sealedTables(db).filter(which))
    db.exec(`UPDATE ${table.name} SET seal = ${sealSql(table)}`);
  if (!hasSumEach(db)) return void db.exec(`UPDATE seals SET sum = ${deciding.map(sumSql).join(" + ")}`);
  db.exec("DELETE FROM seals");
  for (const table of deciding)
    db.exec(`INSERT INTO seals (name, sum) VALUES ('${table.name}', ${sumSql(table)})`);
}

/** What the rows' seals say is wrong with these tables. The connection must know the seals. */
export const brokenSeals = (db: Database.Database, tables: readonly SealedTable[]): readonly string[] =>
  tables.flatMap((table) => {
    const count = `SELECT count(*) FROM ${table.name} WHERE seal IS NOT ${sealSql(table)}`;
    const broken = db.prepare<[], number>(count).pluck().get() ?? 0;
    return broken === 0 ? [] : [brokenText(table.name, broken)];
  });

/** How it is said that rows do not fit their seals. */
export const brokenText = (table: string, rows: number): string =>
  `${table}: ${rows} of its rows do not fit their checksum`;

/** Whether rows of these tables are missing, doubled, or of another moment than the rest. */
export function brokenSums(db: Database.Database, tables: readonly SealedTable[]): readonly string[] {
  const fits = hasSumEach(db)
    ? tables.every((table) => fit(db, `(SELECT sum FROM seals WHERE name = '${table.name}')`, sumSql(table)))
    : fit(db, "(SELECT group_concat(sum) FROM seals)", deciding(db).map(sumSql).join(" + "));
  return fits ? [] : [sumText];
}

/** How it is said that a table's sum is another. */
export const sumText = "the rows are not all of one moment: some are missing, or older than the others";

const deciding = (db: Database.Database): readonly SealedTable[] =>
  sealedTables(db).filter(({ decides }) => decides);

/** Compared as text: a sum that is gone, or there twice, is none. */
const fit = (db: Database.Database, said: string, found: string): boolean =>
  db.prepare<[], number>(`SELECT ${said} = '' || (${found})`).pluck().get() === 1;

/** The first schema had one sum for all tables. */
const hasSumEach = (db: Database.Database): boolean => columnsOf(db, "seals").includes("name");

/** What a column may hold. */
export type Value = string | number | bigint | null;

/**
 * The checksum of a row. Nulls at the end do not count, so that a column added later leaves old seals as they are;
 * numbers count as JavaScript writes them, so that it does not matter how SQLite stores a whole one.
 */
export function sealOf(table: string, values: readonly Value[]): number {
  let end = values.length;
  while (end > 0 && values[end - 1] === null) end -= 1;
  let text = table;
  for (let n = 0; n < end; n += 1) text += values[n] === null ? NOTHING : `${String(values[n])}\0`;
  return crc32(text);
}

const NOTHING = "\u0001";

/** The expression for a row's seal, from its stored columns. */
export const sealSql = ({ name, columns }: Pick<SealedTable, "name" | "columns">): string =>
  `row_seal('${name}', ${columns.join(", ")})`;

const sumSql = ({ name }: SealedTable): string => `(SELECT coalesce(sum(seal), 0) FROM ${name})`;

const columnsOf = (db: Database.Database, table: string): readonly string[] =>
  db.prepare<[string], string>("SELECT name FROM pragma_table_info(?) ORDER BY cid").pluck().all(table);
