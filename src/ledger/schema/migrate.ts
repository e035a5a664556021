/**
 * Brings a database to the schema this version knows. Forward only: each step is one transaction that ends with its
 * number in `user_version`, so a kill inside a step leaves the step before it.
 */
import { LedgerError } from "../ledger-error.ts";
import Database from "better-sqlite3";
import { migrations } from "./migrations/migrations.ts";
import { knowSeals, reseal } from "./seals.ts";

/** Says "Batn" in the file's header, so that a database of another program is not mistaken for a ledger. */
export const APPLICATION_ID = 0x4261746e;

/** Runs the steps that are missing. @throws LedgerError when the file is not ours, or newer than we know. */
export function migrate(db: Database.Database, path: string, steps: readonly string[] = migrations): void {
  checkOwner(db, path);
  const from = versionOf(db);
  if (from > steps.length) throw tooNew(path, from);
  for (const [index, step] of steps.entries()) {
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

/** By version; they never change. */
const texts = new Map<number, string>();

/** The text of the schema that a database of this version has: comparing it finds any change to it. */
export function schemaText(version: number): string {
  const text = texts.get(version) ?? newSchemaText(version);
  texts.set(version, text);
  return text;
}

function newSchemaText(version: number): string {
  const db = new Database(":memory:");
  try {
    knowSeals(db);
    for (const step of migrations.slice(0, version)) db.exec(step);
    return schemaOf(db);
  } finally {
    db.close();
  }
}

export const schemaOf = (db: Database.Database): string =>
  db
    .prepare<[], string>(
      "SELECT type || ' ' || sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
    )
    .pluck()
    .all()
    .join("\n");

export const versionOf = (db: Database.Database): number =>
  Number(db.pragma("user_version", { simple: true }));

export const ownerOf = (db: Database.Database): number =>
  Number(db.pragma("application_id", { simple: true }));

function applyStep(db: Database.Database, step: string, version: number): void {
  db.transaction(() => {
    // Asked again inside the transaction: another process may have done this step since.
    if (versionOf(db) >= version) return;
    knowSeals(db);
    db.exec(step);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${version}`);
    reseal(db);
  }).immediate();
}

function checkOwner(db: Database.Database, path: string): void {
  const id = ownerOf(db);
  if (id === APPLICATION_ID) return;
  const objects = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  if (id === 0 && objects === 0) return;
  throw foreign(path);
}

export const foreign = (path: string): LedgerError =>
  new LedgerError(
    "foreign",
    path,
    `${path} is a database of another program`,
    "set `ledger.path` to a file of its own",
  );

export const tooNew = (path: string, found: number): LedgerError =>
  new LedgerError(
    "newer",
    path,
    `${path} has schema ${found}, this version of baton knows schemas up to ${migrations.length}`,
    "a newer baton has written it: use that version, or point `ledger.path` at another file",
  );
