import Database from "better-sqlite3";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { salvage, type Salvage } from "../../../../src/ledger/repair/salvage.ts";
import { migrate } from "../../../../src/ledger/schema/migrate.ts";
import { openLedger } from "../../../../src/ledger/sqlite.ts";
import { live } from "../../../faults/ledger/life.ts";
import { ledgerFile } from "../folder.ts";

const PAGE_BYTES = 4_096;
const RUNS = 60;

/** A ledger with a past, closed: a copy to be damaged. */
function copy(): string {
  const path = ledgerFile();
  const ledger = openLedger(path);
  live(ledger, RUNS, () => {});
  ledger.close();
  const damaged = join(dirname(path), "damaged.db");
  copyFileSync(path, damaged);
  return damaged;
}

function fresh(): Database.Database {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  migrate(db, ":memory:");
  db.exec("DELETE FROM installation");
  return db;
}

function asked<T>(path: string, sql: string): T[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare<[], T>(sql).pluck().all();
  } finally {
    db.close();
  }
}

function salvaged(path: string): Salvage & { readonly into: Database.Database } {
  const into = fresh();
  return { ...salvage(path, into), into };
}

test("of a sound ledger every row is taken", () => {
  const path = copy();
  const { recovered, lost } = salvaged(path);
  expect(lost).toEqual({});
  for (const [table, rows] of Object.entries(recovered))
    expect([rows], table).toEqual(asked(path, `SELECT count(*) FROM ${table}`));
});

test("pages that cannot be read are read around: what lies before and behind them is taken", () => {
  const path = copy();
  const leaves = asked<number>(
    path,
    "SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path",
  );
  const page = leaves[Math.floor(leaves.length / 2)] ?? 0;
  expect(leaves.length).toBeGreaterThan(4);
  const [all] = asked<number>(path, "SELECT count(*) FROM events");
  const [first, last] = [
    asked<number>(path, "SELECT min(id) FROM events"),
    asked<number>(path, "SELECT max(id) FROM events"),
  ];
  writeFileSync(path, readFileSync(path).fill(0xff, (page - 1) * PAGE_BYTES, page * PAGE_BYTES));
  const { recovered, lost, into } = salvaged(path);
  expect(lost["events"]).toBeGreaterThan(0);
  expect(recovered["events"]).toBeGreaterThan((all ?? 0) * 0.6);
  expect(into.prepare("SELECT min(id) FROM events").pluck().all()).toEqual(first);
  expect(into.prepare("SELECT max(id) FROM events").pluck().all()).toEqual(last);
  expect(recovered["runs"]).toBe(RUNS);
});

test("a row that does not fit its seal is counted as lost", () => {
  const path = copy();
  const db = new Database(path);
  db.exec("UPDATE runs SET title = 'changed' WHERE id = 'r3'");
  db.close();
  const { recovered, lost } = salvaged(path);
  expect([recovered["runs"], lost["runs"]]).toEqual([RUNS - 1, 1]);
});

test("of what is no database nothing is taken", () => {
  const path = copy();
  writeFileSync(path, "nothing of use ".repeat(600));
  expect(salvaged(path)).toMatchObject({ recovered: {}, lost: {} });
});
