import type { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { expect, onTestFinished, test } from "vitest";
import {
  Backlog,
  BATCH_MS,
  BATCH_ROWS,
  WAITING_CHARS_MAX,
  WAITING_ROWS_MAX,
} from "../../../src/ledger/backlog.ts";
import type { SetTimer } from "../../../src/ledger/backlog.ts";
import { connect } from "../../../src/ledger/connect.ts";
import { SqliteLedger } from "../../../src/ledger/sqlite.ts";
import { eventRow } from "../../../src/ledger/write-events.ts";
import { run, said, started } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

const one = run(1);

/** A timer that rings when told to. */
function handTimer() {
  const set: { ring: () => void; ms: number }[] = [];
  const setTimer: SetTimer = (ring, ms) => {
    const timer = { ring, ms };
    set.push(timer);
    return () => void set.splice(set.indexOf(timer), set.includes(timer) ? 1 : 0);
  };
  return { set, setTimer, ring: () => set.splice(0).forEach((timer) => timer.ring()) };
}

function opened(onTrouble: (error: LedgerError) => void = () => {}) {
  const path = ledgerFile();
  const db = connect(path, 20);
  const timer = handTimer();
  const ledger = new SqliteLedger(db, path, { setTimer: timer.setTimer, onTrouble });
  onTestFinished(() => ledger.close());
  const written = (): unknown => db.prepare("SELECT count(*) FROM events").pluck().get();
  const allow = (pages: number): void => void db.pragma(`max_page_count = ${pages}`);
  return { db, ledger, timer, written, allow };
}

test("appended facts are written together, a second after the first", () => {
  const { ledger, timer, written } = opened();
  ledger.append(said("a", one));
  ledger.append(said("b", one));
  expect(timer.set.map(({ ms }) => ms)).toEqual([BATCH_MS]);
  expect(written()).toBe(0);
  timer.ring();
  expect(written()).toBe(2);
  expect(timer.set).toEqual([]);
});

test("a full batch does not wait for the second", () => {
  const { ledger, timer, written } = opened();
  for (let n = 1; n < BATCH_ROWS; n += 1) ledger.append(said(`${n}`, one));
  expect(written()).toBe(0);
  ledger.append(said("last", one));
  expect(written()).toBe(BATCH_ROWS);
  expect(timer.set).toEqual([]);
});

test("what was appended is written with the next commit, before it", () => {
  const { ledger, timer, written } = opened();
  ledger.append(said("a", one));
  ledger.commit([started(one)], [said("b", one)]);
  expect(written()).toBe(2);
  expect(timer.set).toEqual([]);
});

test("closing writes what waits", () => {
  const { db, ledger } = opened();
  ledger.append(said("a", one));
  const path = db.name;
  ledger.close();
  const again = connect(path, 20);
  expect(again.prepare("SELECT count(*) FROM events").pluck().get()).toBe(1);
  again.close();
});

test("facts wait out a full disk: trouble is told once, nothing is thrown, all is written when there is space", () => {
  const troubles: LedgerError[] = [];
  const { db, ledger, timer, written, allow } = opened((error) => troubles.push(error));
  allow(Number(db.pragma("page_count", { simple: true })));
  for (let n = 0; n < 3; n += 1) ledger.append(said("x".repeat(50_000), one));
  timer.ring();
  timer.ring();
  ledger.runs({ limit: 1 });
  expect(troubles.map(({ kind }) => kind)).toEqual(["full"]);
  expect(written()).toBe(0);
  allow(100_000);
  timer.ring();
  expect(written()).toBe(3);
});

test("flush says when it cannot write", () => {
  const { db, ledger, allow } = opened();
  allow(Number(db.pragma("page_count", { simple: true })));
  ledger.append(said("x".repeat(50_000), one));
  expect(() => ledger.flush()).toThrow(expect.objectContaining({ kind: "full" }));
  allow(100_000);
});

test("what waits has a bound in rows: the oldest go, and are counted in a warning", () => {
  const backlog = new Backlog(handTimer().setTimer, () => {});
  const extra = 450;
  for (let n = 0; n < WAITING_ROWS_MAX + extra; n += 1) backlog.add(eventRow(said(`${n}`)));
  const rows = backlog.rows();
  expect(rows.length).toBeLessThanOrEqual(WAITING_ROWS_MAX + 1);
  const gone = WAITING_ROWS_MAX + extra - (rows.length - 1);
  expect(JSON.parse(rows[0]?.fact ?? "")).toMatchObject({
    type: "warning",
    message: `${gone} facts were not kept: the ledger could not be written for a while`,
  });
  expect(JSON.parse(rows.at(-1)?.fact ?? "")).toMatchObject({ text: `${WAITING_ROWS_MAX + extra - 1}` });
  backlog.clear();
  expect(backlog.rows()).toEqual([]);
});

test("what waits has a bound in characters", () => {
  const backlog = new Backlog(handTimer().setTimer, () => {});
  for (let n = 0; n < 600; n += 1) backlog.add(eventRow(said("x".repeat(60_000))));
  const chars = backlog.rows().reduce((sum, row) => sum + row.fact.length, 0);
  expect(chars).toBeLessThanOrEqual(WAITING_CHARS_MAX);
});

test("a flood in one fact is shortened, and still a fact", () => {
  const fact = { ...said("y".repeat(3_000_000), one) };
  const row = eventRow(fact);
  expect(row.fact.length).toBeLessThan(10_000);
  expect(JSON.parse(row.fact)).toMatchObject({ type: "agent_said", runId: "r1" });
});
