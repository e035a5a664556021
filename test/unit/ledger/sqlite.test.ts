import Database from "better-sqlite3";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LedgerError } from "../../../src/ledger/port.ts";
import type { Ledger, LedgerErrorKind } from "../../../src/ledger/port.ts";
import { batchRows } from "../../../src/ledger/backlog.ts";
import { connect } from "../../../src/ledger/connect.ts";
import { openLedger, openLedgerReadOnly, SqliteLedger } from "../../../src/ledger/sqlite.ts";
import type { LedgerOptions } from "../../../src/ledger/sqlite.ts";
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
  toolCalled,
  turnEnded,
  turnStarted,
  used,
} from "../../contract/ledger-records.ts";
import { folder, ledgerFile } from "./folder.ts";

const one = run(1);

function open(path: string, options?: LedgerOptions): Ledger {
  const ledger = openLedger(path, options);
  onTestFinished(() => ledger.close());
  return ledger;
}

function rows(path: string, sql: string): unknown[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

const failing = (kind: LedgerErrorKind, message: RegExp): unknown =>
  expect.objectContaining({
    kind,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/\w{3}/),
  });

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

test("where there is no ledger, the error says where it looked and how to point elsewhere, and makes none", () => {
  const path = ledgerFile();
  expect(() => openLedgerReadOnly(path)).toThrow(failing("missing", new RegExp(`no ledger at ${path}`)));
  expect(existsSync(dirname(path))).toBe(false);
});

test("a file that is no database is refused as damaged, by its path", () => {
  const path = `${folder()}/ledger.db`;
  writeFileSync(path, "not a database, but long enough to be looked at ".repeat(50));
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

test("tokens are counted on the day they were reported, once, however often the report is repeated", () => {
  const path = ledgerFile();
  const ledger = open(path);
  const nextDay = at(16 * 3_600);
  ledger.commit([started(one), used(one, 100), used(one, 100), used(one, 90)], []);
  ledger.commit([used(one, 250, { at: nextDay }), used(one, 250, { at: nextDay })], []);
  ledger.commit([used(one, 50, { thread: "thread-2", at: nextDay })], []);
  expect(rows(path, "SELECT day, workflow, total_tokens FROM v_tokens_by_day ORDER BY day")).toEqual([
    { day: "2031-05-09", workflow: "main", total_tokens: 100 },
    { day: "2031-05-10", workflow: "main", total_tokens: 200 },
  ]);
});

test("every tool call is a row, once, whether its fact was appended or committed", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.append(toolCalled(one, "call-1"));
  ledger.commit([started(one)], [toolCalled(one, "call-2"), toolCalled(one, "call-1")]);
  expect(
    rows(path, "SELECT call_id, operation, fields, ids, complexity, ok, took_ms FROM tool_calls"),
  ).toEqual(
    ["call-1", "call-2"].map((call_id) => ({
      call_id,
      operation: "Comment",
      fields: '["commentCreate"]',
      ids: '["issue-1"]',
      complexity: 12.5,
      ok: 1,
      took_ms: 80.25,
    })),
  );
});

test("a workflow's text is kept once per hash", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.keepWorkflow("h1", "/a/WORKFLOW.md", "text", at(1));
  ledger.keepWorkflow("h1", "/b/WORKFLOW.md", "text", at(2));
  expect(rows(path, "SELECT hash, path, first_seen FROM workflows")).toEqual([
    { hash: "h1", path: "/a/WORKFLOW.md", first_seen: at(1) },
  ]);
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

test("since when an issue waits is not forgotten when it is put back in line", () => {
  const path = ledgerFile();
  const ledger = open(path);
  const { workflow, issue } = running(one);
  const waiting = {
    phase: "waiting",
    workflow,
    issue,
    retryAt: at(9),
    attempt: 1,
    kind: "retry",
    why: "w",
    failure: null,
  } as const;
  const since = (): unknown[] => rows(path, "SELECT since FROM claims");
  ledger.commit([{ type: "claim", claim: running(one), at: at(1) }], []);
  ledger.commit([{ type: "claim", claim: waiting, at: at(5) }], []);
  ledger.commit([{ type: "claim", claim: { ...waiting, retryAt: at(20) }, at: at(8) }], []);
  expect(since()).toEqual([{ since: at(5) }]);
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
  for (let n = 0; n < batchRows; n += 1) ledger.append(said("late", one));
  expect(troubles).toEqual([]);
});
