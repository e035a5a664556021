/**
 * Checksums, against what SQLite does not notice: a bit that flipped in a value, a row that is gone, a page of another
 * time. Every row carries a seal over its columns; for the tables that decide, one sum over all their seals stands in
 * `seals`, changed in the same transaction. Written by triggers of Baton's own connections, so that no statement can
 * forget it; the database itself holds none, and other programs can read it without knowing the function.
 */
import type Database from "better-sqlite3";
import { crc32 } from "node:zlib";

/** What happened, as opposed to how things stand: too many rows to look at in every start, and nothing depends on them. */
const historyTables: ReadonlySet<string> = new Set([
  "workflows",
  "turns",
  "events",
  "tool_calls",
  "commands",
]);

export interface SealedTable {
  readonly name: string;
  /** Without `seal`, in the order in which they were added. */
  readonly columns: readonly string[];
  /** Its seals count into the sum. */
  readonly decides: boolean;
}

/** The tables whose rows have a seal, in the order in which they were made. */
export const sealedTables = (db: Database.Database): readonly SealedTable[] =>
  db
    .prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all()
    .map((name) => ({ name, all: columnsOf(db, name) }))
    .filter(({ all }) => all.includes("seal"))
    .map(({ name, all }) => ({
      name,
      columns: all.filter((column) => column !== "seal"),
      decides: !historyTables.has(name),
    }));

/** Makes the function of the seals known to this connection. */
export function knowSeals(db: Database.Database): void {
  db.function("row_seal", { varargs: true, deterministic: true }, sealOf);
}

/** From now on this connection seals what it writes. */
export function sealWrites(db: Database.Database): void {
  knowSeals(db);
  // Otherwise REPLACE would take rows away without a word.
  db.pragma("recursive_triggers = ON");
  db.exec(sealedTables(db).map(triggers).join("\n"));
}

/** Seals all rows of the tables that decide anew: for changes that were made without the triggers, as migrations are. */
export function reseal(db: Database.Database): void {
  knowSeals(db);
  const deciding = sealedTables(db).filter(({ decides }) => decides);
  for (const table of deciding) db.exec(`UPDATE ${table.name} SET seal = ${sealSql(table)}`);
  db.exec(`UPDATE seals SET sum = ${sumSql(deciding)}`);
}

/** What the rows' seals say is wrong with these tables. The connection must know the seals. */
export const brokenSeals = (db: Database.Database, tables: readonly SealedTable[]): readonly string[] =>
  tables.flatMap((table) => {
    const count = `SELECT count(*) FROM ${table.name} WHERE seal IS NOT ${sealSql(table)}`;
    const broken = db.prepare<[], number>(count).pluck().get() ?? 0;
    return broken === 0 ? [] : [`${table.name}: ${broken} of its rows do not fit their checksum`];
  });

/** Whether rows of the tables that decide are missing, doubled, or of another moment than the rest. */
export function brokenSum(db: Database.Database): readonly string[] {
  const deciding = sealedTables(db).filter(({ decides }) => decides);
  const fits = db
    .prepare(`SELECT (SELECT group_concat(sum) FROM seals) = '' || (${sumSql(deciding)})`)
    .pluck()
    .get();
  return fits === 1 ? [] : ["the rows are not all of one moment: some are missing, or older than the others"];
}

/**
 * The checksum of a row. Nulls at the end do not count, so that a column added later leaves old seals as they are;
 * numbers count as JavaScript writes them, so that it does not matter how SQLite stores a whole one.
 */
export function sealOf(table: Value, ...values: readonly Value[]): number {
  let end = values.length;
  while (end > 0 && values[end - 1] === null) end -= 1;
  let sum = crc32(String(table));
  for (const value of values.slice(0, end)) sum = crc32(value === null ? NOTHING : `${String(value)}\0`, sum);
  return sum;
}

const NOTHING = "\u0001";

/** What a column may hold. */
type Value = string | number | bigint | null;

/** The expression for a row's seal, from its stored columns. */
export const sealSql = ({ name, columns }: SealedTable): string =>
  `row_seal('${name}', ${columns.join(", ")})`;

const sumSql = (tables: readonly SealedTable[]): string =>
  tables.map(({ name }) => `(SELECT coalesce(sum(seal), 0) FROM ${name})`).join(" + ");

const columnsOf = (db: Database.Database, table: string): readonly string[] =>
  db.prepare<[string], string>("SELECT name FROM pragma_table_info(?) ORDER BY cid").pluck().all(table);

function triggers(table: SealedTable): string {
  const { name, columns, decides } = table;
  const seal = `UPDATE ${name} SET seal = ${sealSql(table)} WHERE rowid = NEW.rowid;`;
  const rows = `
    CREATE TEMP TRIGGER seal_${name}_inserted AFTER INSERT ON main.${name} BEGIN ${seal} END;
    CREATE TEMP TRIGGER seal_${name}_updated AFTER UPDATE OF ${columns.join(", ")} ON main.${name} BEGIN ${seal} END;`;
  if (!decides) return rows;
  return `${rows}
    CREATE TEMP TRIGGER seal_${name}_sealed AFTER UPDATE OF seal ON main.${name} BEGIN
      UPDATE seals SET sum = sum - ifnull(OLD.seal, 0) + NEW.seal;
    END;
    CREATE TEMP TRIGGER seal_${name}_deleted AFTER DELETE ON main.${name} BEGIN
      UPDATE seals SET sum = sum - OLD.seal;
    END;`;
}
