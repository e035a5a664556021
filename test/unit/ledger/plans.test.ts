/** How SQLite goes about each statement of a ledger that is open: none may read all of a table that grows. */
import type Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/ledger/connect.ts";
import { agedIn } from "../../../src/ledger/prune-file.ts";
import { tables } from "../../../src/ledger/schema/tables.ts";
import { SqliteLedger } from "../../../src/ledger/sqlite.ts";
import { live } from "../../faults/ledger/life.ts";
import { at, run } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

/** What may read along a whole table or index, and why that is no harm. */
const allowed: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^SELECT \* FROM tallies$/, /^SCAN tallies$/, "one row per issue, and the scheduler keeps them all"],
  [
    /FROM runs WHERE \(@workflow IS NULL/,
    /^SCAN runs USING INDEX runs_by_start$/,
    "newest first up to a limit, in the process of who asks",
  ],
  [
    /FROM orders WHERE done_at IS NULL/,
    /^SCAN orders USING INDEX orders_waiting$/,
    "this index has the waiting ones only",
  ],
  [
    /FROM workflows WHERE hash = @hash OR path/,
    /^SCAN workflows$/,
    "one row for each version of a file, in the process of who asks why while the file is broken",
  ],
  [/INDEXED BY one_open_run/, /^SCAN runs USING INDEX one_open_run$/, "this index has the open runs only"],
];

/** Every statement that a connection was asked for. */
function recording(db: Database.Database): ReadonlySet<string> {
  const asked = new Set<string>();
  const prepare = db.prepare.bind(db);
  db.prepare = (sql: string) => {
    asked.add(sql.replace(/\s+/g, " ").trim());
    return prepare(sql);
  };
  return asked;
}

function opened(): { db: Database.Database; ledger: SqliteLedger; asked: ReadonlySet<string> } {
  const path = ledgerFile();
  const db = connect(path, 100);
  const asked = recording(db);
  const ledger = new SqliteLedger(db, path);
  onTestFinished(() => ledger.close());
  live(ledger, 12, () => {});
  ledger.keepWorkflow("h", "/w", "text", at(1));
  ledger.prune(at(3), 2);
  ledger.orders();
  ledger.load();
  ledger.runs({ issue: "MT-1", workflow: "main", outcome: "running", limit: 2 });
  ledger.timeline([run(1).id], 9);
  ledger.told(run(1).id);
  ledger.lately(at(0), 9);
  ledger.issue("MT-1");
  return { db, ledger, asked };
}

const growing = new Set(tables.filter(({ grows }) => grows).map(({ name }) => name));

/** The steps of a plan that read along all of a table that grows. */
function scans(db: Database.Database, sql: string): readonly string[] {
  const params = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name ?? "", null]));
  const places = sql.includes("@") ? [params] : Array.from(sql.matchAll(/\?/g), () => null);
  return db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...places)
    .map(({ detail }) => detail)
    .filter((detail) => growing.has(/^SCAN (\w+)/.exec(detail)?.[1] ?? ""));
}

test("no statement of the daemon reads all of a table that grows", () => {
  const { db, asked } = opened();
  const statements = [...asked].filter((sql) => /^(SELECT|INSERT|UPDATE|DELETE)/.test(sql));
  expect(statements.length).toBeGreaterThan(40);
  const found = statements.flatMap((sql) => {
    const excused = allowed.filter(([of]) => of.test(sql)).map(([, plan]) => plan);
    return scans(db, sql)
      .filter((step) => !excused.some((plan) => plan.test(step)))
      .map((step) => `${step}: ${sql}`);
  });
  expect(found).toEqual([]);
});

test("what is allowed to read along a table is still there and still does", () => {
  const { db, asked } = opened();
  for (const [of, plan, why] of allowed) {
    const steps = [...asked].filter((sql) => of.test(sql)).flatMap((sql) => scans(db, sql));
    expect(
      steps.some((step) => plan.test(step)),
      why,
    ).toBe(true);
  }
});

test("a table that grows is read along where nothing stops it: the look at plans can see that", () => {
  const { db } = opened();
  expect(scans(db, "SELECT * FROM events WHERE fact = ?")).toEqual(["SCAN events"]);
});

test("the statistics of a ledger that has lived do not lead to other plans", () => {
  const { db, ledger, asked } = opened();
  live(ledger, 400, () => {});
  db.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 900)
    INSERT INTO spending (day, workflow) SELECT date('2032-01-01', n || ' days'), 'main' FROM n`);
  db.exec("ANALYZE");
  const all = [...asked]
    .filter((sql) => /^(SELECT|UPDATE|DELETE)/.test(sql))
    .flatMap((sql) => scans(db, sql));
  expect(all.filter((step) => !allowed.some(([, plan]) => plan.test(step)))).toEqual([]);
});

test("counting what a prune would take reads along, in the process of who asks", () => {
  const path = ledgerFile();
  const db = connect(path, 100);
  onTestFinished(() => void db.close());
  const aging = tables.filter(({ agedBy }) => agedBy !== null);
  expect(agedIn(path, at(1))).toEqual(aging.map(({ name: table }) => ({ table, rows: 0, old: 0 })));
  for (const { name, agedBy } of aging) {
    const old = `SELECT rowid FROM ${name} WHERE ${agedBy} < ? ORDER BY ${agedBy} LIMIT ?`;
    expect(scans(db, `DELETE FROM ${name} WHERE rowid IN (${old})`), name).toEqual([]);
  }
});
