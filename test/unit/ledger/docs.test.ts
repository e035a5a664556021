import type Database from "better-sqlite3";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/ledger/connect.ts";
import { type Kept, tables } from "../../../src/ledger/schema/tables.ts";
import { ledgerFile } from "./folder.ts";

const page = readFileSync(new URL("../../../docs/LEDGER.md", import.meta.url), "utf8");

function ledger(): Database.Database {
  const db = connect(ledgerFile(), 100);
  onTestFinished(() => void db.close());
  return db;
}

const rowPerOf = (table: string): string | undefined => tables.find(({ name }) => name === table)?.rowPer;

test("docs/LEDGER.md says of each table how long it is kept, as the catalogue does", () => {
  const words: Readonly<Record<Kept, string>> = {
    retention: "history",
    "for good": "the account",
    "while it holds": "what holds",
  };
  for (const [kept, word] of Object.entries(words)) {
    const row = page.split("\n").find((line) => line.startsWith(`| ${word} | \``)) ?? "";
    const said = [...(row.split("|")[2] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const meant = tables.filter((table) => table.kept === kept && table.sealed).map(({ name }) => name);
    expect(new Set(said), word).toEqual(new Set(meant));
  }
});

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
  for (const table of names("table")) expect(page).toContain(`| \`${table}\` | ${rowPerOf(table)} |`);
  for (const view of names("view")) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${view}\` |`));
    expect(row, view).toBeDefined();
    const columns = db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(view);
    const own = columns.filter((name) => !name.endsWith("_tokens") || view === "v_issues");
    for (const column of own) expect(row).toContain(`\`${column}\``);
  }
});

const tokens = "input_tokens cached_input_tokens output_tokens reasoning_output_tokens total_tokens";

/** Promised in docs/LEDGER.md: these only ever grow, at the ends. */
const promised = [
  [
    "v_runs",
    `id workflow issue_id issue_identifier title attempt kind outcome failure_kind error started_at ended_at took_s
    turns thread_id workspace ${tokens}`,
  ],
  [
    "v_issues",
    `issue_id issue_identifier title workflow phase reason why since retry_at runs runs_since_release failures
    total_tokens last_outcome`,
  ],
  ["v_tokens_by_day", `day workflow ${tokens}`],
] as const;

test.each(promised)("the view %s keeps its columns", (view, columns) => {
  const found = ledger()
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) ORDER BY cid")
    .pluck()
    .all(view);
  const kept = columns.split(/\s+/);
  expect(found.slice(0, kept.length)).toEqual(kept);
});
