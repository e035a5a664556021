import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import Database from "better-sqlite3";
import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { BATCH_ROWS } from "../../../src/ledger/backlog.ts";
import { connect } from "../../../src/ledger/connect.ts";
import { openLedgerReadOnly, SqliteLedger } from "../../../src/ledger/sqlite.ts";
import {
  at,
  ended,
  opened,
  run,
  running,
  said,
  started,
  tallied,
  tokens,
} from "../../contract/ledger-records.ts";
import { failing, ledgerFile, open, rows } from "./folder.ts";

const one = run(1);

test("a closed ledger is one file: nothing is left in the log", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.commit([started(one)], []);
  ledger.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test("read commands see what the daemon has committed while it runs, and cannot write", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.commit([started(one)], [said("hello", one)]);
  const reader = openLedgerReadOnly(path);
  onTestFinished(() => reader.close());
  expect(reader.run("r1")?.identifier).toBe("MT-1");
  ledger.commit([ended(one)], []);
  expect(reader.run("r1")?.ending?.outcome).toBe("completed");
  expect(reader.timeline([one.id], 9)).toHaveLength(1);
});

test("read commands work when no daemon runs", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.commit([started(one)], []);
  ledger.close();
  const reader = openLedgerReadOnly(path);
  expect(reader.runs({ limit: 9 })).toHaveLength(1);
  reader.close();
  expect(open(path).load().open).toHaveLength(1);
});

test("a full disk fails the commit, keeps everything before it, and is over when there is space again", () => {
  const path = ledgerFile();
  const db = connect(path, 100);
  const ledger = new SqliteLedger(db, path);
  onTestFinished(() => ledger.close());
  ledger.commit([started(one)], []);
  db.pragma(`max_page_count = ${String(db.pragma("page_count", { simple: true }))}`);
  const long = said("x".repeat(60_000), one);
  ledger.append(said("waits", one));
  expect(() => ledger.commit([ended(one)], [long])).toThrow(failing("full", /disk is full|SQLITE_FULL/));
  expect(ledger.run("r1")?.ending).toBeNull();
  db.pragma("max_page_count = 100000");
  ledger.commit([ended(one)], [long]);
  expect(ledger.run("r1")?.ending).not.toBeNull();
  expect(ledger.timeline([one.id], 9).map(({ fact }) => fact)).toEqual([said("waits", one), long]);
});

test("another program's transaction is waited for, then named", () => {
  const path = ledgerFile();
  const ledger = open(path, { busyMs: 20 });
  const other = new Database(path);
  other.exec("BEGIN IMMEDIATE");
  expect(() => ledger.commit([started(one)], [])).toThrow(failing("busy", /locked|SQLITE_BUSY/));
  other.close();
  ledger.commit([started(one)], []);
  expect(ledger.load().open).toHaveLength(1);
});

test("nothing is written that the redactor takes out: records, facts, workflow texts", () => {
  const path = ledgerFile();
  const hide = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hunter22", "***")) as T;
  const ledger = open(path, { redact: hide });
  const { issue } = running(one);
  const claim = { ...running(one), issue: { ...issue, description: "hunter22" } };
  ledger.commit([{ type: "claim", claim, at: at(1) }, started(one)], [said("hunter22", one)]);
  ledger.append(said("also hunter22", one));
  ledger.keepWorkflow("h1", "/a", "key: hunter22", at(1));
  ledger.close();
  const db = new Database(path);
  onTestFinished(() => void db.close());
  expect(db.serialize().includes("hunter22")).toBe(false);
});

test("the views answer in words and ISO times, under names that stay", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.commit(
    [started(one), opened(one), { type: "claim", claim: running(one), at: at(1) }, tallied(1)],
    [],
  );
  ledger.commit([ended(one, undefined, tokens(70))], []);
  const [first] = rows(path, "SELECT * FROM v_runs");
  expect(first).toEqual({
    id: "r1",
    workflow: "main",
    issue_id: "issue-1",
    issue_identifier: "MT-1",
    title: "Ticket 1",
    attempt: null,
    kind: "first",
    outcome: "completed",
    failure_kind: null,
    error: null,
    started_at: "2031-05-09T08:00:01.000Z",
    ended_at: "2031-05-09T08:01:00.000Z",
    took_s: 59,
    turns: 2,
    thread_id: "thread-1",
    workspace: null,
    input_tokens: 68,
    cached_input_tokens: 1,
    output_tokens: 2,
    reasoning_output_tokens: 1,
    total_tokens: 70,
  });
  expect(rows(path, "SELECT * FROM v_issues")).toEqual([
    {
      issue_id: "issue-1",
      issue_identifier: "MT-1",
      title: "Ticket 1",
      workflow: "main",
      phase: "running",
      reason: null,
      why: null,
      since: "2031-05-09T08:00:01.000Z",
      retry_at: null,
      runs: 1,
      runs_since_release: 3,
      failures: 1,
      total_tokens: 70,
      last_outcome: "completed",
    },
  ]);
});

test("a question after closing is a LedgerError, and a late fact is let go", () => {
  const troubles: LedgerError[] = [];
  const ledger = open(ledgerFile(), { onTrouble: (error) => troubles.push(error) });
  ledger.close();
  expect(() => ledger.load()).toThrow(LedgerError);
  for (let n = 0; n < BATCH_ROWS; n += 1) ledger.append(said("late", one));
  expect(troubles).toEqual([]);
});

test("a row that a prune took and that is written again is there again", () => {
  const path = ledgerFile();
  const db = connect(path, 100);
  const ledger = new SqliteLedger(db, path);
  onTestFinished(() => ledger.close());
  ledger.commit([], [said("old")]);
  ledger.keepWorkflow("h", "/w", "text", at(1));
  // No table whose rows are remembered grows old today: this one does, with the events.
  db.exec("CREATE TEMP TRIGGER aged AFTER DELETE ON events BEGIN DELETE FROM workflows; END");
  expect(ledger.prune(at(9), 9)).toBe(1);
  expect(rows(path, "SELECT hash FROM workflows")).toEqual([]);
  ledger.keepWorkflow("h", "/w", "text", at(10));
  expect(rows(path, "SELECT hash FROM workflows")).toEqual([{ hash: "h" }]);
});
