import type Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/ledger/connect.ts";
import { agedRows, pruner } from "../../../src/ledger/prune.ts";
import { tables } from "../../../src/ledger/schema/tables.ts";
import { SqliteLedger } from "../../../src/ledger/sqlite.ts";
import { live } from "../../faults/ledger/life.ts";
import { at } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

function lived(): Database.Database {
  const path = ledgerFile();
  const db = connect(path, 100);
  const ledger = new SqliteLedger(db, path);
  onTestFinished(() => ledger.close());
  live(ledger, 12, () => {});
  return db;
}

const counts = (db: Database.Database): Record<string, unknown> =>
  Object.fromEntries(
    tables.map(({ name }) => [name, db.prepare(`SELECT count(*) FROM ${name}`).pluck().get()]),
  );

test("only what the catalogue lets go of goes, however old everything is", () => {
  const db = lived();
  const before = counts(db);
  const prune = pruner(db);
  while (prune(at(1e9), 10) > 0);
  const aging = tables.filter(({ kept }) => kept === "retention").map(({ name }) => name);
  expect(counts(db)).toEqual({ ...before, ...Object.fromEntries(aging.map((name) => [name, 0])) });
});

test("the oldest go first, no more of each table than is asked for", () => {
  const db = lived();
  const ids = (): unknown[] => db.prepare("SELECT id FROM events ORDER BY at, id").pluck().all();
  const before = ids();
  const most = agedRows(db, at(1e9)).map(({ old }) => Math.min(3, old));
  expect(pruner(db)(at(1e9), 3)).toBe(most.reduce((sum, rows) => sum + rows, 0));
  expect(ids()).toEqual(before.slice(3));
});

test("what would go is counted without going", () => {
  const db = lived();
  const before = counts(db);
  const aging = tables.filter(({ agedBy }) => agedBy !== null);
  const all = aging.map(({ name: table }) => ({ table, rows: before[table], old: before[table] }));
  expect(agedRows(db, at(1e9))).toEqual(all);
  expect(agedRows(db, at(-1))).toEqual(all.map((aged) => ({ ...aged, old: 0 })));
  expect(counts(db)).toEqual(before);
});
