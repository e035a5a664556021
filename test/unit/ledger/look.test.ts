import Database from "better-sqlite3";
import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { sayClean, takeEnded } from "../../../src/ledger/ended.ts";
import type { Ledger } from "../../../src/ledger/port.ts";
import { openWholeLedger } from "../../../src/ledger/repair/rebuild.ts";
import { ROWS_AT_ONCE } from "../../../src/ledger/tend.ts";
import { at, run, said, started } from "../../contract/ledger-records.ts";
import { live } from "../../faults/ledger/life.ts";
import { ledgerFile } from "./folder.ts";

/** A ledger with a past whose end was a clean one, as far as anybody knows; and what a disk did to it since. */
function rotten(sql: string): string {
  const path = ledgerFile();
  const { ledger } = openWholeLedger(path);
  live(ledger, 30, () => {});
  ledger.close();
  const db = new Database(path);
  db.exec(sql);
  db.close();
  sayClean(path);
  return path;
}

function open(path: string): { ledger: Ledger; setAside: string | null } {
  const opened = openWholeLedger(path);
  onTestFinished(() => opened.ledger.close());
  return opened;
}

function looked(ledger: Ledger, rowsMax = ROWS_AT_ONCE): readonly string[] {
  const found: string[] = [];
  for (let some = ledger.look(rowsMax); some !== null; some = ledger.look(rowsMax)) found.push(...some);
  return found;
}

test("a sound ledger is looked through without a word, in as many steps as it takes", () => {
  const { ledger } = open(rotten(""));
  expect(looked(ledger, 7)).toEqual([]);
  expect(ledger.look(7)).toBeNull();
});

test.each([
  ["UPDATE runs SET title = 'changed' WHERE id = 'r3'", /runs: 1 of its rows do not fit/],
  ["DELETE FROM usage WHERE rowid = (SELECT min(rowid) FROM usage)", /some are missing/],
  ["UPDATE spending SET total_tokens = 1", /spending: 1 of its rows/],
])(
  "what counts and was changed since a clean end is found while the daemon works, and replaced by the next start: %s",
  (sql, what) => {
    const path = rotten(sql);
    const { ledger, setAside } = open(path);
    expect(setAside).toBeNull();
    expect(looked(ledger, 7).join()).toMatch(what);
    ledger.close();
    expect(open(path).setAside).not.toBeNull();
  },
);

test("damage that nobody looks for is met by who asks for orders, and mended by the next start", () => {
  const path = rotten("");
  const db = new Database(path, { readonly: true });
  const page = "SELECT rootpage FROM sqlite_schema WHERE name = 'orders_waiting'";
  const at = (Number(db.prepare(page).pluck().get()) - 1) * Number(db.pragma("page_size", { simple: true }));
  db.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(100, 0xff), 0, 100, at);
  closeSync(file);
  sayClean(path);
  const { ledger, setAside } = open(path);
  expect(setAside).toBeNull();
  expect(() => ledger.orders()).toThrow(/malformed/);
  ledger.close();
  const again = open(path);
  expect(again.setAside).not.toBeNull();
  expect(again.ledger.orders()).toEqual([]);
});

test("beside a reader the ledger ends clean, also in the middle of a look", () => {
  const path = rotten("");
  const { ledger } = open(path);
  const reader = new Database(path, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.prepare("SELECT count(*) FROM runs").get();
  // The first step only begins.
  for (const _ of [1, 2]) ledger.look(2);
  ledger.commit([started(run(99))], []);
  ledger.close();
  expect(takeEnded(path)).toBe("clean");
});

test("history that was changed is said, and no reason to replace a ledger", () => {
  const path = rotten("UPDATE events SET type = 'changed' WHERE id = 2");
  const { ledger } = open(path);
  expect(looked(ledger)).toEqual(["events: 1 of its rows do not fit their checksum"]);
  ledger.close();
  expect(open(path).setAside).toBeNull();
});

test.each([
  "UPDATE claims SET why = 'changed' WHERE rowid = (SELECT min(rowid) FROM claims)",
  "UPDATE tallies SET runs = 0",
  "DELETE FROM claims",
  "UPDATE installation SET id = 'other'",
])("what a start goes on from is looked at after a clean end too: %s", (sql) => {
  expect(open(rotten(sql)).setAside).not.toBeNull();
});

test("after a kill the start looks at all that counts", () => {
  const path = rotten("");
  const db = new Database(path);
  db.exec("UPDATE runs SET title = 'changed' WHERE id = 'r3'");
  db.close();
  expect(open(path).setAside).not.toBeNull();
});

test("what is written during a look is no damage to it", () => {
  const { ledger } = open(rotten(""));
  const found: string[] = [];
  for (let n = 100; ; n += 1) {
    const some = ledger.look(5);
    if (some === null) break;
    found.push(...some);
    if (n < 130) ledger.commit([started(run(n))], [said(`run ${n}`, run(n))]);
    if (n === 120) ledger.prune(at(6), 3);
  }
  expect(found).toEqual([]);
});

test("a look that is not finished does not outlive its ledger: nothing is left in the log", () => {
  const path = rotten("");
  const { ledger } = open(path);
  for (let n = 0; n < 3; n += 1) ledger.look(1);
  ledger.commit([], [said("meanwhile")]);
  ledger.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});
