import Database from "better-sqlite3";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { backUp } from "../../../../src/ledger/backup.ts";
import { checkLedger } from "../../../../src/ledger/repair/check.ts";
import { exportLines } from "../../../../src/ledger/export.ts";
import { connect } from "../../../../src/ledger/connect.ts";
import { reseal } from "../../../../src/ledger/schema/seals.ts";
import { openLedgerReadOnly } from "../../../../src/ledger/sqlite.ts";
import { dump } from "../../../faults/ledger/dump.ts";
import { folder, lively } from "../folder.ts";

const problems = (path: string): readonly string[] => checkLedger(path).flatMap((check) => check.problems);

/** Changes rows as Baton itself would: the seals fit, and only the sense is wrong. */
function changed(path: string, sql: string): void {
  const db = connect(path, 1_000);
  db.pragma("foreign_keys = OFF");
  db.exec(sql);
  reseal(db, () => true);
  db.close();
}

test("a ledger that a daemon is writing has nothing wrong with it", () => {
  const { path, ledger } = lively();
  expect(problems(path)).toEqual([]);
  ledger.close();
  expect(problems(path)).toEqual([]);
});

test.each([
  ["DELETE FROM claims WHERE issue_id = 'issue-10'", /run r10 is open, but no claim is held by it/],
  [
    "UPDATE runs SET ended_at = 1, outcome = 'lost' WHERE id = 'r10'",
    /issue issue-10 is held by a run that is not open/,
  ],
  [
    "UPDATE claims SET phase = 'waiting' WHERE phase = 'parked'",
    /claim of the issue .* not what its columns say/,
  ],
  ["UPDATE tallies SET runs = 99 WHERE issue_id = 'issue-1'", /more is counted against the issue issue-1/],
  ["UPDATE turns SET ended_at = NULL WHERE run_id = 'r1'", /run r1 has ended, one of its turns has not/],
  ["DELETE FROM spending", /days' tokens are less than those of the threads/],
  ["DELETE FROM issues WHERE id = 'issue-1'", /refer to a row of issues that is not there/],
])("a contradiction between the tables is named: %s", (sql, said) => {
  const { path } = lively();
  changed(path, sql);
  expect(problems(path).join("\n")).toMatch(said);
});

test("history that was changed by other hands is found, though no start looks for it", () => {
  const { path, ledger } = lively();
  ledger.close();
  const db = new Database(path);
  db.exec("UPDATE events SET fact = replace(fact, 'begins', 'ends') WHERE id = 1");
  db.close();
  expect(problems(path)).toEqual(["events: 1 of its rows do not fit their checksum"]);
});

test("a file that is no database any more is a problem, no database at all is an error", () => {
  const path = `${folder()}/ledger.db`;
  expect(() => checkLedger(path)).toThrow(expect.objectContaining({ kind: "missing" }));
  writeFileSync(path, "not a database ".repeat(100));
  writeFileSync(`${path}.ended`, "a ledger was here");
  expect(problems(path).join()).toMatch(/not a database/);
});

test("looking, backing up and exporting leave the ledger as it was", () => {
  const { path, ledger } = lively();
  ledger.close();
  mkdirSync(join(dirname(path), "elsewhere"));
  const before = dump(path);
  checkLedger(path);
  backUp(path, join(dirname(path), "elsewhere", "copy.db"));
  expect([...exportLines(path)].length).toBeGreaterThan(0);
  expect(dump(path)).toEqual(before);
  expect(existsSync(path)).toBe(true);
  openLedgerReadOnly(path).close();
});
