import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { at, ended, opened, run, started, turnEnded, turnStarted } from "../../contract/ledger-records.ts";
import { ledgerFile, open, rows } from "./folder.ts";

const one = run(1);

test("two open runs of one issue are impossible even for SQL", () => {
  const path = ledgerFile();
  open(path).commit([started(one)], []);
  const db = new Database(path);
  onTestFinished(() => void db.close());
  const copy = `INSERT INTO runs (id, issue_id, identifier, title, workflow, workflow_hash, kind, started_at)
    VALUES ('r2', 'issue-1', 'MT-1', '', 'main', '', 'first', 0)`;
  expect(() => db.exec(copy)).toThrow(/UNIQUE constraint failed: runs.issue_id/);
});

test("turns are rows: what ended says how, what was cut off by the run's end says interrupted", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.commit([started(one), opened(one), turnStarted(one, 1), turnEnded(one, 1)], []);
  ledger.commit([turnStarted(one, 2), turnStarted(one, 2), ended(one)], []);
  expect(rows(path, "SELECT number, status, ended_at, message FROM turns ORDER BY number")).toEqual([
    { number: 1, status: "completed", ended_at: at(2), message: "Done." },
    { number: 2, status: "interrupted", ended_at: at(60), message: null },
  ]);
});
