/** Opens the file: who may read it, how durable it is, how long to wait for others. Knows no table. */
import { LedgerError } from "./ledger-error.ts";
import Database from "better-sqlite3";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { finishSwap, placeNew } from "./aside.ts";
import { guarded } from "./errors.ts";
import { rememberedLedger } from "./lock.ts";
import { refuseStranger } from "./stranger.ts";
import { refuseMissing } from "./there.ts";
import { checkSchema, knowSeals, migrate } from "./schema/schema.ts";

/** How long a commit waits for another process (a backup, an SQL shell) before it fails. */
export const BUSY_MS = 5_000;
/** Pages in the write-ahead log before they are moved to the database: about 4 MB. */
const CHECKPOINT_PAGES = 1_000;
/** Of the database in memory. A step touches some pages; what people ask for may come from the disk. */
const CACHE_KIBIBYTES = 4 * 1024;
/** The log file shrinks back to this after a reader has held it up. */
const WAL_BYTES_MAX = 16 * 1024 * 1024;

/** A connection that writes, migrated. Makes the directory (0700) and the file (0600). @throws LedgerError */
export function connect(path: string, waitMs: number): Database.Database {
  return ofLedger(path, "opening", () => {
    if (existsSync(path)) makePrivate(path);
    else makeLedger(path);
    const db = new Database(path, { timeout: waitMs });
    return closingOnError(db, () => {
      db.pragma("journal_mode = WAL");
      db.pragma("synchronous = FULL");
      db.pragma("foreign_keys = ON");
      db.pragma("trusted_schema = OFF");
      // Nothing of a transaction may depend on the disk that /tmp is on.
      db.pragma("temp_store = MEMORY");
      db.pragma(`cache_size = ${-CACHE_KIBIBYTES}`);
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`);
      migrate(db, path);
      knowSeals(db);
    });
  });
}

/** A connection that cannot write, beside the daemon's. @throws LedgerError, also when there is no ledger. */
export function connectReadOnly(path: string): Database.Database {
  return readOnly(path, (db) => checkSchema(db, path));
}

/** The same without a look at what is in the file: for those who look themselves. @throws LedgerError */
export function connectUnchecked(path: string): Database.Database {
  return readOnly(path, () => {});
}

function readOnly(path: string, check: (db: Database.Database) => void): Database.Database {
  refuseMissing(path);
  return ofLedger(path, "reading", () => {
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    return closingOnError(db, () => {
      db.pragma("trusted_schema = OFF");
      knowSeals(db);
      check(db);
    });
  });
}

/** What cannot be read because it never was a ledger is not called a damaged one. */
function ofLedger<T>(path: string, doing: string, work: () => T): T {
  try {
    return guarded(path, doing, work);
  } catch (error) {
    if (error instanceof LedgerError && error.kind === "damaged")
      refuseStranger(path, rememberedLedger(path) !== null);
    throw error;
  }
}

function closingOnError(db: Database.Database, work: () => void): Database.Database {
  try {
    work();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Under another name first: a ledger that is there is whole, and an empty file in its place is always damage. -wal and
 * -shm take the mode of the database.
 */
function makeLedger(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (finishSwap(path) !== null) return;
  if (existsSync(`${path}-wal`)) throw lostDatabase(path);
  const fresh = `${path}.new-${process.pid}`;
  try {
    makeAt(fresh, (db) => migrate(db, path));
    placeNew(fresh, path);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(fresh + suffix, { force: true });
  }
}

/** Makes a database at a path where nothing is of value, and closes it: one file, to be synced before it gets its name. */
export function makeAt(path: string, fill: (db: Database.Database) => void): void {
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
  writeFileSync(path, "", { mode: 0o600 });
  const db = new Database(path);
  closingOnError(db, () => {
    db.pragma("trusted_schema = OFF");
    db.pragma("temp_store = MEMORY");
    // A file that is thrown away when anything goes wrong needs no journal.
    db.pragma("journal_mode = OFF");
    db.pragma("synchronous = OFF");
    fill(db);
    db.pragma("journal_mode = WAL");
  }).close();
}

/** SQLite would apply the log of a database that is gone to the next one in its place. */
const lostDatabase = (path: string): LedgerError =>
  new LedgerError(
    "damaged",
    path,
    `${path} is gone, but its log ${path}-wal is still there`,
    "put the database back; or move the log away, and start with an empty ledger",
  );

/** Looked at by name: opening and closing the file would drop the locks this process may have on it already. */
function makePrivate(path: string): void {
  const about = statSync(path);
  if (about.isDirectory()) {
    const text = `opening the ledger ${path} failed: it is a directory (EISDIR)`;
    throw new LedgerError("read_only", path, text, "set `ledger.path` to a file");
  }
  if ((about.mode & 0o077) !== 0) chmodSync(path, 0o600);
}
