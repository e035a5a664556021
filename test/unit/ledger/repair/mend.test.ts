import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { mend } from "../../../../src/ledger/repair/mend.ts";
import { migrate } from "../../../../src/ledger/schema/migrate.ts";
import { brokenSeals, brokenSums, sealedTables } from "../../../../src/ledger/schema/seals.ts";

/** What was saved: the rows of these statements. */
function saved(sql: string): Database.Database {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  migrate(db, ":memory:");
  db.pragma("foreign_keys = OFF");
  db.exec(`DELETE FROM installation; ${sql}`);
  return db;
}

const run = (id: string, issue: string, total: number, thread: string | null = null): string =>
  `INSERT INTO runs (id, issue_id, identifier, title, workflow, workflow_hash, kind, started_at, ended_at, outcome,
     total_tokens, thread_id)
   VALUES ('${id}', '${issue}', 'MT-1', 'T', 'main', 'h', 'first', 86400000, 2, 'lost', ${total},
     ${thread === null ? "NULL" : `'${thread}'`});`;

test("a ledger that lost its name gets the one that is known, or a new one; one that has a name keeps it", () => {
  const name = (db: Database.Database): unknown => db.prepare("SELECT id FROM installation").pluck().get();
  const [known, none, own] = [saved(""), saved(""), saved("INSERT INTO installation (id) VALUES ('own')")];
  mend(known, "a1b2");
  mend(none, null);
  mend(own, "a1b2");
  expect(name(known)).toBe("a1b2");
  expect(name(none)).toMatch(/^[0-9a-f]{16}$/);
  expect(name(own)).toBe("own");
});

test("a tally that is gone is counted from the runs; one that is there stays", () => {
  const db = saved(
    `${run("r1", "i1", 5)} ${run("r2", "i1", 7, "t1")} ${run("r3", "i2", 9)}
     INSERT INTO usage (thread_id, issue_id, run_id, updated_at, total_tokens) VALUES ('t1', 'i1', 'r2', 1, 70);
     INSERT INTO tallies (issue_id, runs, failures, idle, extra_runs, extra_tokens) VALUES ('i2', 0, 0, 0, 4, 0);`,
  );
  mend(db, null);
  const tallies =
    "SELECT issue_id, runs, extra_runs, total_tokens, thread_id, thread_total_tokens FROM tallies ORDER BY 1";
  expect(db.prepare(tallies).raw().all()).toEqual([
    ["i1", 2, 0, 12, "t1", 70],
    ["i2", 0, 4, 0, null, 0],
  ]);
  expect(db.prepare("SELECT day, total_tokens FROM spending").raw().all()).toEqual([["1970-01-02", 21]]);
});

test("a run that only its events know has an end and keeps its number", () => {
  const db = saved(
    `INSERT INTO events (at, type, run_id, issue_id, fact)
     VALUES (1, 'x', 'r9', 'i1', '{"identifier":"MT-9","workflow":"main"}'), (5, 'x', 'r9', 'i1', '{}')`,
  );
  mend(db, null);
  expect(db.prepare("SELECT id, identifier, started_at, ended_at, outcome FROM runs").raw().all()).toEqual([
    ["r9", "MT-9", 1, 5, "lost"],
  ]);
});

test("what refers to nothing is dropped and counted, and what is left is sealed", () => {
  const db = saved(
    `${run("r1", "i1", 5)}
     INSERT INTO turns (run_id, number, turn_id, thread_id, started_at) VALUES ('gone', 1, 't', 't', 1);`,
  );
  expect(mend(db, null)).toEqual({ turns: 1 });
  const deciding = sealedTables(db).filter(({ decides }) => decides);
  expect([...brokenSeals(db, deciding), ...brokenSums(db, deciding)]).toEqual([]);
});
