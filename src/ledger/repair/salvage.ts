/**
 * Reads what can be read out of a damaged ledger, into a new one: row by row around pages that cannot be read, and only
 * rows whose seal says that they are as they were written.
 */
import Database from "better-sqlite3";
import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { knowSeals, type SealedTable, sealedTables, sealSql } from "../schema/schema.ts";
import { versionBySchema } from "./verify.ts";

/** Rows asked for at once while all goes well. */
const PAGE_ROWS = 200;
/** Places in a table that may be unreadable before the rest of it is given up: each costs about a hundred questions. */
const HOLES_MAX = 500;
/** A hole is looked across in steps that double; no rowid is further away than this. */
const ROWID_MAX = 2 ** 52;

export interface Salvage {
  /** Rows taken over, by table. */
  readonly recovered: Readonly<Record<string, number>>;
  /** Rows that were found but not as they had been written, and holes where nothing could be read, by table. */
  readonly lost: Readonly<Record<string, number>>;
}

/** Copies the readable rows from the damaged file at `from` (a copy: it is changed) into `into`. */
export function salvage(from: string, into: Database.Database): Salvage {
  const recovered: Record<string, number> = {};
  const lost: Record<string, number> = {};
  const source = openDamaged(from, into);
  if (source === null) return { recovered, lost };
  try {
    const wanted = new Map(sealedTables(into).map((table) => [table.name, table]));
    for (const table of sealedTables(source)) {
      const target = wanted.get(table.about?.name ?? table.name);
      if (target === undefined) continue;
      const { rows, holes } = copyTable(source, table, into, target);
      recovered[target.name] = rows;
      if (holes > 0) lost[target.name] = holes;
    }
  } finally {
    source.close();
  }
  return { recovered, lost };
}

/** The damaged database, with the tables where they were; null when not even that can be had. */
function openDamaged(path: string, fresh: Database.Database): Database.Database | null {
  const asItIs = opened(path);
  if (asItIs !== null && hasSchema(asItIs)) return asItIs;
  asItIs?.close();
  if (!lendSchema(path, fresh)) return null;
  const lent = opened(path);
  if (lent !== null && hasSchema(lent)) return lent;
  lent?.close();
  return null;
}

function opened(path: string): Database.Database | null {
  try {
    const db = new Database(path, { fileMustExist: true });
    db.pragma("trusted_schema = OFF");
    knowSeals(db);
    return db;
  } catch {
    return null;
  }
}

function hasSchema(db: Database.Database): boolean {
  try {
    return versionBySchema(db) !== null;
  } catch {
    return false;
  }
}

/**
 * A new ledger has its tables at the same pages, so its pages with the schema stand in for those that are damaged.
 * Where that is not so, the seals refuse what is read.
 */
function lendSchema(path: string, fresh: Database.Database): boolean {
  const pageSize = Number(fresh.pragma("page_size", { simple: true }));
  const whole = fresh.serialize();
  const pages = fresh
    .prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'")
    .pluck()
    .all();
  const file = openSync(path, "r+");
  try {
    const pageCount = Math.floor(fstatSync(file).size / pageSize);
    if (pageCount <= Math.max(...pages)) return false;
    for (const page of pages) {
      const bytes = Buffer.from(whole.subarray((page - 1) * pageSize, page * pageSize));
      if (page === 1) setHeader(bytes, pageCount);
      writeSync(file, bytes, 0, pageSize, (page - 1) * pageSize);
    }
    return true;
  } finally {
    closeSync(file);
  }
}

/** https://sqlite.org/fileformat2.html 1.3: size in pages, and no free pages; read and written as WAL. */
function setHeader(page: Buffer, pageCount: number): void {
  page.writeUInt32BE(pageCount, 28);
  page.writeUInt32BE(0, 32);
  page.writeUInt32BE(0, 36);
  page.copy(page, 92, 24, 28);
  page.writeUInt8(2, 18);
  page.writeUInt8(2, 19);
}

interface Copied {
  readonly rows: number;
  readonly holes: number;
}

type Row = Readonly<Record<string, unknown>> & { readonly rowid_: number; readonly fits_: number };

/** The damaged ledger may be of an older version: columns it does not have keep their defaults. */
function copyTable(
  source: Database.Database,
  table: SealedTable,
  into: Database.Database,
  { name, columns }: SealedTable,
): Copied {
  const names = columns.filter((column) => table.columns.includes(column));
  // By its name of today, which may be another than the one it was sealed under.
  const seal = sealSql({ name, columns: names.map((column) => `@${column}`) });
  const put = into.prepare(
    `INSERT OR IGNORE INTO ${name} (${names.join(", ")}, seal) VALUES (${names.map((column) => `@${column}`).join(", ")}, ${seal})`,
  );
  let rows = 0;
  let holes = 0;
  for (const row of readable(source, table)) {
    const taken = row === null || row.fits_ !== 1 ? null : takenOver(put, row);
    if (taken === null) holes += 1;
    else rows += taken;
  }
  return { rows, holes };
}

/** Null for a row that fits its seal and not its table: damage can make bytes of a text, and a seal is over bytes. */
function takenOver(put: Database.Statement, row: Row): number | null {
  try {
    return put.run(row).changes;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT")) return null;
    throw error;
  }
}

/** Every row that can be read, in order; null stands for a hole. */
function* readable(db: Database.Database, table: SealedTable): Generator<Row | null> {
  const next = reader(db, table);
  let [at, holes] = [-1, 0];
  for (;;) {
    const page = next(at, PAGE_ROWS) ?? next(at, 1);
    for (const row of page ?? []) yield row;
    at = page?.at(-1)?.rowid_ ?? at;
    if (page?.length === 0) return;
    if (page !== null) continue;
    yield null;
    holes += 1;
    const beyond = holes > HOLES_MAX ? null : across(next, at);
    if (beyond === null) return;
    // What lies between the hole's end and the place where reading went on is read backwards.
    yield* backwards(db, table, at, beyond);
    at = beyond;
  }
}

type Next = (after: number, limit: number) => readonly Row[] | null;

/** The rows after a rowid; null when they cannot be read, or come in an order that only damage can make. */
function reader(db: Database.Database, table: SealedTable): Next {
  const sql = `${selectFrom(table)} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
  return (after, limit) => {
    const rows = tried(() => db.prepare<[number, number], Row>(sql).all(after, limit));
    return rows !== null && isRising(after, rows) ? rows : null;
  };
}

/** Without this, pages that point in a circle would be read for ever. */
const isRising = (after: number, rows: readonly Row[]): boolean =>
  rows.every(({ rowid_ }, n) => rowid_ > (rows[n - 1]?.rowid_ ?? after) && rowid_ < ROWID_MAX);

/** Not by an index: that may be what is damaged. */
const selectFrom = (table: SealedTable): string =>
  `SELECT rowid AS rowid_, seal IS ${sealSql(table)} AS fits_, seal, ${table.columns.join(", ")}
  FROM ${table.name} NOT INDEXED`;

/** The first rowid at doubling distances after which rows can be read again, or the end is reached; null: nowhere. */
function across(next: Next, from: number): number | null {
  for (let step = 1; from + step < ROWID_MAX; step *= 2) {
    if (next(from + step, 1) !== null) return from + step;
  }
  return null;
}

function* backwards(db: Database.Database, table: SealedTable, from: number, to: number): Generator<Row> {
  const sql = `${selectFrom(table)} WHERE rowid > ? AND rowid <= ? ORDER BY rowid DESC LIMIT 1`;
  const last = tried(() => db.prepare<[number, number], Row>(sql));
  for (let before = to; ; ) {
    const row = tried(() => last?.get(from, before)) ?? null;
    if (row === null || row.rowid_ <= from || row.rowid_ > before) return;
    yield row;
    before = row.rowid_ - 1;
  }
}

function tried<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
