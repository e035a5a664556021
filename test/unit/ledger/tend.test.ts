import Database from "better-sqlite3";
import { statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { BUSY_MS } from "../../../src/ledger/connect.ts";
import { LOG_BYTES_MAX, ROWS_AT_ONCE, tendLedger } from "../../../src/ledger/tend.ts";
import { at, run, said } from "../../contract/ledger-records.ts";
import { ledgerFile, filled, open } from "./folder.ts";

const one = run(1);

test("old history is forgotten in small steps, with pauses between them; everything that counts stays", async () => {
  const ledger = filled(ledgerFile(), ROWS_AT_ONCE * 2 + 10);
  const before = [ledger.load(), ledger.runs({ limit: 9 })];
  // Looked at before, so that the pauses are those of forgetting.
  while (ledger.look(ROWS_AT_ONCE) !== null);
  let pauses = 0;
  const pause = async (): Promise<void> => void (pauses += 1);
  expect(await tendLedger(ledger, at(6), pause)).toEqual({ forgotten: ROWS_AT_ONCE * 2 + 10, warnings: [] });
  expect(pauses).toBe(2);
  expect(ledger.timeline([one.id], 9).map(({ fact }) => fact.type)).toEqual(["tool_called"]);
  expect([ledger.load(), ledger.runs({ limit: 9 })]).toEqual(before);
  expect(await tendLedger(ledger, at(8), pause)).toEqual({ forgotten: 2, warnings: [] });
  expect(ledger.timeline([one.id], 9)).toEqual([]);
});

test("tending ends quietly when the ledger was closed or cannot be written meanwhile", async () => {
  const path = ledgerFile();
  const ledger = filled(path, ROWS_AT_ONCE + 1);
  while (ledger.look(ROWS_AT_ONCE) !== null);
  const closing = tendLedger(ledger, at(6), async () => ledger.close());
  expect((await closing).forgotten).toBe(ROWS_AT_ONCE);
  const again = open(path);
  again.close();
  expect(await tendLedger(again, at(6))).toEqual({ forgotten: 0, warnings: [] });
});

test("a log that cannot shrink, because somebody keeps reading, is told", async () => {
  const ledger = { look: () => null, prune: () => 0, tidy: () => ({ logBytes: LOG_BYTES_MAX + 1 }) };
  expect((await tendLedger(ledger, at(6))).warnings.join()).toMatch(/64 MiB.*SQL shells/s);
});

test("tidying moves the log into the database, and never waits for a reader", () => {
  const path = ledgerFile();
  const ledger = filled(path, 1_000);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  const reader = new Database(path, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM runs").get();
  ledger.commit([], [said("more", one)]);
  const begun = performance.now();
  expect(ledger.tidy().logBytes).toBeGreaterThan(0);
  expect(performance.now() - begun).toBeLessThan(BUSY_MS);
  reader.exec("COMMIT");
  expect(ledger.tidy().logBytes).toBe(0);
});

test("facts do not hold up the daemon while another program writes; they wait", () => {
  const path = ledgerFile();
  const ledger = open(path);
  const other = new Database(path);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  ledger.append(said("waits", one));
  const begun = performance.now();
  ledger.runs({ limit: 1 });
  expect(performance.now() - begun).toBeLessThan(BUSY_MS);
  other.exec("COMMIT");
  ledger.flush();
  expect(ledger.timeline([one.id], 9)).toHaveLength(1);
});
