import Database from "better-sqlite3";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { APPLICATION_ID, migrate } from "../../../../src/ledger/schema/migrate.ts";
import { migrations } from "../../../../src/ledger/schema/migrations/migrations.ts";
import { openLedger, openLedgerReadOnly } from "../../../../src/ledger/sqlite.ts";
import { run, started } from "../../../contract/ledger-records.ts";
import { ledgerFile } from "../folder.ts";

function raw(path: string): Database.Database {
  mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path);
  onTestFinished(() => void db.close());
  return db;
}

test("a new ledger carries its program's mark and its schema's number", () => {
  const db = raw(ledgerFile());
  migrate(db, "x");
  expect(db.pragma("application_id", { simple: true })).toBe(APPLICATION_ID);
  expect(db.pragma("user_version", { simple: true })).toBe(migrations.length);
});

test("opening again changes nothing", () => {
  const path = ledgerFile();
  const first = openLedger(path);
  first.commit([started(run(1))], []);
  first.close();
  const again = openLedger(path);
  expect(again.load().open).toHaveLength(1);
  again.close();
});

test("a ledger of a newer version is refused, untouched, with both numbers", () => {
  const path = ledgerFile();
  openLedger(path).close();
  raw(path).pragma("user_version = 99");
  const refusal = expect.objectContaining({
    kind: "newer",
    message: expect.stringMatching(/schema 99.*up to \d/),
  });
  expect(() => openLedger(path)).toThrow(refusal);
  expect(() => openLedgerReadOnly(path)).toThrow(refusal);
  expect(raw(path).pragma("user_version", { simple: true })).toBe(99);
});

test("a reader does not migrate: an older schema is an error that says what brings it up to date", () => {
  const path = ledgerFile();
  raw(path).pragma(`application_id = ${APPLICATION_ID}`);
  expect(() => openLedgerReadOnly(path)).toThrow(
    expect.objectContaining({ kind: "missing", hint: expect.stringMatching(/start the daemon/) }),
  );
});

test("a step that fails leaves the version before it, and nothing of the step", () => {
  const db = raw(ledgerFile());
  // The last object of the step is in the way, so everything before it has run by then.
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.exec("CREATE TABLE v_tokens_by_day (x)");
  expect(() => migrate(db, "x")).toThrow(/v_tokens_by_day/);
  expect(db.pragma("user_version", { simple: true })).toBe(0);
  expect(db.prepare("SELECT name FROM sqlite_schema").pluck().all()).toEqual(["v_tokens_by_day"]);
});
