/**
 * Brings a database to the schema this version knows. Forward only: each step is one transaction that ends with its
 * number in `user_version`, so a kill inside a step leaves the step before it.
 */
import type Database from "better-sqlite3";
import { begin } from "./migrations/0001-begin.ts";
import { LedgerError } from "./ledger.ts";

/** The n-th entry leads from version n to n+1; entries are never changed once released. */
const migrations: readonly string[] = [begin];

/** Says "Batn" in the file's header, so that a database of another program is not mistaken for a ledger. */
export const applicationId = 0x4261746e;

/** Runs the steps that are missing. @throws LedgerError when the file is not ours, or newer than we know. */
export function migrate(db: Database.Database, path: string): void {
  checkOwner(db, path);
  const from = versionOf(db);
  if (from > migrations.length) throw tooNew(path, from);
  for (const [index, step] of migrations.entries()) {
    if (index >= from) applyStep(db, step, index + 1);
  }
}

/** For readers, who change nothing: the schema must be exactly ours. @throws LedgerError */
export function checkSchema(db: Database.Database, path: string): void {
  checkOwner(db, path);
  const found = versionOf(db);
  if (found > migrations.length) throw tooNew(path, found);
  if (found === migrations.length) return;
  throw new LedgerError(
    "missing",
    path,
    `${path} has schema ${found}, this version reads schema ${migrations.length}`,
    "start the daemon of this version once: it brings the ledger up to date",
  );
}

function applyStep(db: Database.Database, step: string, version: number): void {
  db.transaction(() => {
    // Asked again inside the transaction: another process may have done this step since.
    if (versionOf(db) >= version) return;
    db.exec(step);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${version}`);
  }).immediate();
}

function checkOwner(db: Database.Database, path: string): void {
  const id = db.pragma("application_id", { simple: true });
  if (id === applicationId) return;
  const objects = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  if (id === 0 && objects === 0) return;
  throw new LedgerError(
    "foreign",
    path,
    `${path} is a database of another program`,
    "set `ledger.path` to a file of its own",
  );
}

const versionOf = (db: Database.Database): number => Number(db.pragma("user_version", { simple: true }));

const tooNew = (path: string, found: number): LedgerError =>
  new LedgerError(
    "newer",
    path,
    `${path} has schema ${found}, this version of baton knows schemas up to ${migrations.length}`,
    "a newer baton has written it: use that version, or point `ledger.path` at another file",
  );
