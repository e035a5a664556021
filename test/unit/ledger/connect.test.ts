import Database from "better-sqlite3";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/ledger/connect.ts";
import { openLedger, openLedgerReadOnly } from "../../../src/ledger/sqlite.ts";
import { run, started } from "../../contract/ledger-records.ts";
import { failing, folder, ledgerFile, open, rows } from "./folder.ts";

const one = run(1);

test("only the owner can read a ledger: directory 0700, files 0600, whatever the umask says", () => {
  const path = ledgerFile();
  open(path).commit([started(one)], []);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  for (const suffix of ["", "-wal", "-shm"]) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
});

test("a ledger that others could read is closed to them when it is opened", () => {
  const path = ledgerFile();
  openLedger(path).close();
  chmodSync(path, 0o644);
  open(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("no more of the database is kept in memory than is said", () => {
  const db = connect(ledgerFile(), 5_000);
  onTestFinished(() => void db.close());
  expect(db.pragma("cache_size", { simple: true })).toBe(-4 * 1024);
});

test("a commit is on disk when it returns: write-ahead log with a full sync, foreign keys on", () => {
  const db = connect(ledgerFile(), 5_000);
  onTestFinished(() => void db.close());
  const pragma = (name: string): unknown => db.pragma(name, { simple: true });
  expect(pragma("journal_mode")).toBe("wal");
  expect(pragma("synchronous")).toBe(2);
  expect(pragma("foreign_keys")).toBe(1);
  expect(pragma("busy_timeout")).toBe(5_000);
  const loose = db.prepare(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict",
  );
  expect(loose.pluck().all()).toEqual(["sqlite_schema"]);
});

test("where there is no ledger, the error says where it looked and how to point elsewhere, and makes none", () => {
  const path = ledgerFile();
  expect(() => openLedgerReadOnly(path)).toThrow(failing("missing", new RegExp(`no ledger at ${path}`)));
  expect(existsSync(dirname(path))).toBe(false);
});

test("a file that is no database where a ledger was is refused as damaged, by its path", () => {
  const path = `${folder()}/ledger.db`;
  writeFileSync(path, "not a database, but long enough to be looked at ".repeat(50));
  writeFileSync(`${path}.ended`, "a ledger was here");
  expect(() => openLedger(path)).toThrow(failing("damaged", new RegExp(path)));
  expect(() => openLedgerReadOnly(path)).toThrow(failing("damaged", new RegExp(path)));
});

test("a database of another program is refused and left as it is", () => {
  const path = `${folder()}/ledger.db`;
  new Database(path).exec("CREATE TABLE theirs (x)").close();
  expect(() => openLedger(path)).toThrow(failing("foreign", /another program/));
  expect(rows(path, "SELECT name FROM sqlite_schema")).toEqual([{ name: "theirs" }]);
});

test("a place where no file can be made is an error that says so", () => {
  const file = `${folder()}/file`;
  writeFileSync(file, "");
  expect(() => openLedger(`${file}/ledger.db`)).toThrow(failing("read_only", /file/));
  const directory = `${folder()}/ledger.db`;
  mkdirSync(directory);
  expect(() => openLedger(directory)).toThrow(failing("read_only", /EISDIR/));
});
