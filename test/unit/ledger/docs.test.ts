import type Database from "better-sqlite3";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/ledger/connect.ts";
import { ledgerFile } from "./folder.ts";

const page = readFileSync(new URL("../../../docs/LEDGER.md", import.meta.url), "utf8");

function ledger(): Database.Database {
  const db = connect(ledgerFile(), 100);
  onTestFinished(() => void db.close());
  return db;
}

test("every query of docs/LEDGER.md runs", () => {
  const queries = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = ""]) => sql);
  expect(queries.length).toBeGreaterThan(3);
  const db = ledger();
  for (const sql of queries) expect(db.prepare(sql).all(), sql).toEqual([]);
});

test("docs/LEDGER.md has every table, and every view with all its columns", () => {
  const db = ledger();
  const names = (type: string): string[] =>
    db.prepare<[string], string>("SELECT name FROM sqlite_schema WHERE type = ?").pluck().all(type);
  for (const table of names("table")) expect(page).toContain(`| \`${table}\` |`);
  for (const view of names("view")) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${view}\` |`));
    expect(row, view).toBeDefined();
    const columns = db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(view);
    const own = columns.filter((name) => !name.endsWith("_tokens") || view === "v_issues");
    for (const column of own) expect(row).toContain(`\`${column}\``);
  }
});
