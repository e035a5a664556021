/** Opens the file: who may read it, how durable it is, how long to wait for others. Knows no table. */
import Database from "better-sqlite3";
import { chmodSync, closeSync, existsSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { guarded } from "./errors.ts";
import { LedgerError } from "./ledger.ts";
import { checkSchema, migrate } from "./migrate.ts";

/** How long a commit waits for another process (a backup, an SQL shell) before it fails. */
export const busyMs = 5_000;
/** Pages in the write-ahead log before they are moved to the database: about 4 MB. */
const checkpointPages = 1_000;
/** The log file shrinks back to this after a reader has held it up. */
const walBytesMax = 16 * 1024 * 1024;

/** The one writer's connection, migrated. Makes the directory (0700) and the file (0600). @throws LedgerError */
export function connect(path: string, waitMs: number): Database.Database {
  return guarded(path, "opening", () => {
    makePrivate(path);
    const db = new Database(path, { timeout: waitMs });
    return closingOnError(db, () => {
      db.pragma("journal_mode = WAL");
      db.pragma("synchronous = FULL");
      db.pragma("foreign_keys = ON");
      db.pragma("trusted_schema = OFF");
      db.pragma(`wal_autocheckpoint = ${checkpointPages}`);
      db.pragma(`journal_size_limit = ${walBytesMax}`);
      migrate(db, path);
    });
  });
}

/** A connection that cannot write, beside the daemon's. @throws LedgerError, also when there is no ledger. */
export function connectReadOnly(path: string): Database.Database {
  if (!existsSync(path)) {
    throw new LedgerError(
      "missing",
      path,
      `no ledger at ${path}: no daemon has run here yet`,
      "start one with `baton`, or name the WORKFLOW.md of the daemon you mean (its `ledger.path` says where the ledger is)",
    );
  }
  return guarded(path, "reading", () => {
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: busyMs });
    return closingOnError(db, () => {
      db.pragma("query_only = ON");
      db.pragma("trusted_schema = OFF");
      checkSchema(db, path);
    });
  });
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

/** Made before SQLite does it, which would follow the umask; -wal and -shm take the mode of the database. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, "a", 0o600);
  try {
    if ((fstatSync(fd).mode & 0o077) !== 0) chmodSync(path, 0o600);
  } finally {
    closeSync(fd);
  }
}
