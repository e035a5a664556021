import type Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/ledger/connect.ts";
import { REMEMBERED_MAX, Rows, type TableRows } from "../../../src/ledger/rows.ts";
import { brokenSeals, brokenSums, sealedTables } from "../../../src/ledger/schema/seals.ts";
import { SqliteLedger } from "../../../src/ledger/sqlite.ts";
import { live } from "../../faults/ledger/life.ts";
import { toolCalled, run } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

interface Pause {
  readonly scope: string;
  readonly why: string;
  readonly since: number;
  readonly until: number | null;
}

interface Event {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly run_id: string | null;
  readonly issue_id: string | null;
  readonly fact: string;
}

interface Rig {
  readonly db: Database.Database;
  readonly rows: Rows;
  readonly pauses: TableRows<Pause>;
  readonly events: TableRows<Event>;
  /** What was written, by statement. */
  readonly written: string[];
}

function rig(path = ledgerFile()): Rig {
  const db = connect(path, 100);
  onTestFinished(() => void db.close());
  const written: string[] = [];
  const prepare = db.prepare.bind(db);
  const recorded = (sql: string): Database.Statement => {
    const statement = prepare(sql);
    const go = statement.run.bind(statement);
    if (!sql.startsWith("SELECT"))
      statement.run = (...params: unknown[]) => (written.push(sql), go(...params));
    return statement;
  };
  Object.assign(db, { prepare: recorded });
  const rows = new Rows(db);
  const pauses = rows.table<Pause>("pauses", ["scope"]);
  return { db, rows, pauses, events: rows.table<Event>("events", ["id"]), written };
}

const freeze: Pause = { scope: "*", why: "freeze", since: 1, until: null };
const event = (id: number): Event => ({
  id,
  at: 1,
  type: "warning",
  run_id: null,
  issue_id: null,
  fact: "{}",
});

/** What the seals say is wrong. */
function wrong(db: Database.Database): readonly string[] {
  const tables = sealedTables(db);
  return [
    ...brokenSeals(db, tables),
    ...brokenSums(
      db,
      tables.filter(({ decides }) => decides),
    ),
  ];
}

test("every row has its seal and its part of the sum: new, changed, and gone", () => {
  const { db, rows, pauses, events } = rig();
  rows.transact(() => {
    pauses.put(freeze);
    events.append(event);
  });
  expect(wrong(db)).toEqual([]);
  rows.transact(() => pauses.put({ ...freeze, until: 9 }));
  expect(wrong(db)).toEqual([]);
  expect(db.prepare("SELECT until FROM pauses").pluck().all()).toEqual([9]);
  rows.transact(() => pauses.drop("*"));
  expect(wrong(db)).toEqual([]);
  expect(db.prepare("SELECT count(*) FROM pauses").pluck().get()).toBe(0);
});

test("a whole life of a ledger leaves no row without its seal", () => {
  const path = ledgerFile();
  const db = connect(path, 100);
  const ledger = new SqliteLedger(db, path);
  onTestFinished(() => ledger.close());
  live(ledger, 40, () => {});
  ledger.commit([], [toolCalled(run(1), "again")]);
  ledger.keepWorkflow("h", "/w", "text", run(1).startedAt);
  expect(wrong(db)).toEqual([]);
  const unsealed = sealedTables(db).map(({ name }) =>
    db.prepare(`SELECT count(*) FROM ${name} WHERE seal IS NULL`).pluck().get(),
  );
  expect(unsealed.filter((count) => count !== 0)).toEqual([]);
});

test("a row that is changed several times in a transaction is written once, as it is in the end", () => {
  const { db, rows, pauses, written } = rig();
  rows.transact(() => {
    pauses.put(freeze);
    pauses.put({ ...freeze, why: "thaw" });
    expect(pauses.get("*")?.why).toBe("thaw");
    pauses.put({ ...freeze, why: "frost" });
  });
  expect(written.filter((sql) => /INTO pauses/.test(sql))).toHaveLength(1);
  expect(db.prepare("SELECT why FROM pauses").pluck().all()).toEqual(["frost"]);
});

test("what changes nothing is not written, and a change names the columns it changes", () => {
  const { rows, pauses, written } = rig();
  rows.transact(() => pauses.put(freeze));
  written.length = 0;
  rows.transact(() => pauses.put({ ...freeze }));
  expect(written).toEqual([]);
  rows.transact(() => pauses.put({ ...freeze, until: 5 }));
  expect(written[0]).toBe("UPDATE pauses SET until = ?, seal = ? WHERE rowid = ?");
});

test("what is dropped before it was there, and put after it was dropped, come to the same", () => {
  const { db, rows, pauses } = rig();
  rows.transact(() => {
    pauses.drop("*");
    pauses.put(freeze);
    pauses.drop("*");
  });
  expect(db.prepare("SELECT count(*) FROM pauses").pluck().get()).toBe(0);
  rows.transact(() => pauses.put(freeze));
  rows.transact(() => {
    pauses.drop("*");
    pauses.put({ ...freeze, why: "again" });
  });
  expect(db.prepare("SELECT why FROM pauses").pluck().all()).toEqual(["again"]);
  expect(wrong(db)).toEqual([]);
});

test("a transaction that fails is forgotten: what was to be written is not taken for what is there", () => {
  const { db, rows, pauses, events } = rig();
  rows.transact(() => pauses.put(freeze));
  const failing = (): void =>
    rows.transact(() => {
      pauses.put({ ...freeze, why: "lost" });
      events.append(event);
      throw new Error("no");
    });
  expect(failing).toThrow("no");
  rows.transact(() => {
    expect(pauses.get("*")).toMatchObject({ why: "freeze" });
    events.append(event);
  });
  expect(db.prepare("SELECT id FROM events").pluck().all()).toEqual([1]);
  expect(wrong(db)).toEqual([]);
});

test("what another program has written is seen", () => {
  const path = ledgerFile();
  const [here, there] = [rig(path), rig(path)];
  here.rows.transact(() => here.pauses.put(freeze));
  there.rows.transact(() => {
    there.pauses.put({ ...freeze, why: "theirs" });
    there.events.append(event);
  });
  here.rows.transact(() => {
    expect(here.pauses.get("*")?.why).toBe("theirs");
    here.events.append(event);
  });
  expect(wrong(here.db)).toEqual([]);
  expect(here.db.prepare("SELECT id FROM events").pluck().all()).toEqual([1, 2]);
});

test("no more rows are remembered than is said: one that was forgotten is read again", () => {
  const { db, rows, pauses } = rig();
  for (let n = 0; n <= REMEMBERED_MAX; n += 1) rows.transact(() => pauses.put({ ...freeze, scope: `w${n}` }));
  // Behind its back, and by this connection, so that nothing but the table says so.
  db.exec("UPDATE pauses SET why = 'behind'");
  let found: (string | undefined)[] = [];
  rows.transact(() => {
    found = [pauses.get("w0")?.why, pauses.get(`w${REMEMBERED_MAX}`)?.why];
  });
  expect(found).toEqual(["behind", "freeze"]);
});

test("a table that is not sealed is none of these", () => {
  const { rows } = rig();
  expect(() => rows.table("seals", [])).toThrow(/no sealed table seals/);
});

test("a row that SQL of our own took away is written whole when it comes back", () => {
  const { db, rows, pauses } = rig();
  rows.transact(() => pauses.put(freeze));
  rows.bypass(() => db.exec("DELETE FROM pauses"));
  rows.transact(() => pauses.put({ ...freeze, until: 9 }));
  expect(db.prepare("SELECT scope, until FROM pauses").all()).toEqual([{ scope: "*", until: 9 }]);
});

test("what goes past the memory changes nothing by way of it: it would be lost", () => {
  const { db, rows, pauses } = rig();
  expect(() => rows.bypass(() => pauses.put(freeze))).toThrow("past it");
  expect(db.prepare("SELECT count(*) FROM pauses").pluck().get()).toBe(0);
});
