import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { guarded, ledgerError } from "../../../src/ledger/errors.ts";
import { LedgerError } from "../../../src/ledger/ledger-error.ts";

const sqlite = (code: string): Error => new Database.SqliteError("it failed", code);
const system = (code: string): Error => Object.assign(new Error("it failed"), { code });

test.each([
  [sqlite("SQLITE_FULL"), "full", true],
  [system("ENOSPC"), "full", true],
  // SQLite has no room for the file that readers and writers share, also when it only reads.
  [sqlite("SQLITE_IOERR_SHMSIZE"), "full", true],
  [sqlite("SQLITE_BUSY_SNAPSHOT"), "busy", true],
  [sqlite("SQLITE_IOERR_WRITE"), "io", true],
  [system("EMFILE"), "io", true],
  [sqlite("SQLITE_CORRUPT_INDEX"), "damaged", false],
  [sqlite("SQLITE_NOTADB"), "damaged", false],
  [sqlite("SQLITE_READONLY"), "read_only", false],
  [system("EACCES"), "read_only", false],
  [sqlite("SQLITE_CONSTRAINT_UNIQUE"), "inconsistent", false],
  [new Error("it failed"), "inconsistent", false],
  ["it failed", "inconsistent", false],
])("%s is of the kind %s", (cause, kind, mayPass) => {
  const error = ledgerError("/l", "writing to", cause);
  expect(error).toMatchObject({ kind, mayPass, path: "/l", cause });
  expect(error.message).toMatch(/^writing to the ledger \/l failed: it failed/);
  expect(error.hint).not.toBe("");
});

test("the code is said once", () => {
  expect(ledgerError("/l", "reading", sqlite("SQLITE_FULL")).message).toMatch(/\(SQLITE_FULL\)$/);
  const said = new Database.SqliteError("SQLITE_FULL again", "SQLITE_FULL");
  expect(ledgerError("/l", "reading", said).message).not.toMatch(/\(SQLITE_FULL\)$/);
});

test("an error that says what it is stays as it is, and what works is returned", () => {
  const own = new LedgerError("missing", "/l", "no ledger", "start one");
  expect(() =>
    guarded("/l", "reading", () => {
      throw own;
    }),
  ).toThrow(own);
  expect(guarded("/l", "reading", () => 7)).toBe(7);
});
