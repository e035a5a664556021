import Database from "better-sqlite3";
import { existsSync, statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { instant } from "../../../src/domain/time.ts";
import { busyMs } from "../../../src/ledger/connect.ts";
import { LedgerError, type Ledger } from "../../../src/ledger/port.ts";
import { agedIn, pruneFile } from "../../../src/ledger/prune-file.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { logBytesMax, rowsAtOnce, tendLedger } from "../../../src/ledger/tend.ts";
import { at, run, said, started, toolCalled, turnStarted, used } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

const one = run(1);

function open(path: string): Ledger {
  const ledger = openLedger(path);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Facts of second 5 (`said`) and 7 (`toolCalled`), and a run that outlives them. */
function filled(path: string, facts: number): Ledger {
  const ledger = open(path);
  ledger.commit([started(one), turnStarted(one, 1), used(one, 50)], []);
  ledger.commit(
    [],
    Array.from({ length: facts }, (_, n) => said(`${n}`, one)),
  );
  ledger.commit([], [toolCalled(one, "call-1")]);
  return ledger;
}

test("old history is forgotten in small steps, with pauses between them; everything that counts stays", async () => {
  const ledger = filled(ledgerFile(), rowsAtOnce * 2 + 10);
  const before = [ledger.load(), ledger.runs({ limit: 9 })];
  let pauses = 0;
  const pause = async (): Promise<void> => void (pauses += 1);
  expect(await tendLedger(ledger, at(6), pause)).toEqual({ forgotten: rowsAtOnce * 2 + 10, warning: null });
  expect(pauses).toBe(2);
  expect(ledger.timeline([one.id], 9).map(({ fact }) => fact.type)).toEqual(["tool_called"]);
  expect([ledger.load(), ledger.runs({ limit: 9 })]).toEqual(before);
  expect(await tendLedger(ledger, at(8), pause)).toEqual({ forgotten: 2, warning: null });
  expect(ledger.timeline([one.id], 9)).toEqual([]);
});

test("tending ends quietly when the ledger was closed or cannot be written meanwhile", async () => {
  const path = ledgerFile();
  const ledger = filled(path, rowsAtOnce + 1);
  const closing = tendLedger(ledger, at(6), async () => ledger.close());
  expect((await closing).forgotten).toBe(rowsAtOnce);
  const again = open(path);
  again.close();
  expect(await tendLedger(again, at(6))).toEqual({ forgotten: 0, warning: null });
});

test("a log that cannot shrink, because somebody keeps reading, is told", async () => {
  const ledger = { prune: () => 0, tidy: () => ({ logBytes: logBytesMax + 1 }) };
  expect((await tendLedger(ledger, at(6))).warning).toMatch(/64 MiB.*SQL shells/s);
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
  expect(performance.now() - begun).toBeLessThan(busyMs);
  reader.exec("COMMIT");
  expect(ledger.tidy().logBytes).toBe(0);
});

test("pruning beside a daemon takes the same rows, and the daemon goes on", async () => {
  const path = ledgerFile();
  const ledger = filled(path, rowsAtOnce + 3);
  const rows = [
    { table: "events", rows: rowsAtOnce + 4, old: rowsAtOnce + 3 },
    { table: "tool_calls", rows: 1, old: 0 },
  ];
  expect(agedIn(path, at(6))).toEqual(rows);
  const pruned = pruneFile(path, at(6));
  ledger.commit([], [said("meanwhile", one)]);
  expect(await pruned).toBeGreaterThanOrEqual(rowsAtOnce + 3);
  ledger.commit([], [toolCalled(one, "call-2")]);
  expect(agedIn(path, at(6)).map(({ old }) => old)).toEqual([0, 0]);
});

test("pruning makes no ledger where there is none", async () => {
  const path = ledgerFile();
  await expect(pruneFile(path, instant(1))).rejects.toThrow(LedgerError);
  expect(() => agedIn(path, instant(1))).toThrow(expect.objectContaining({ kind: "missing" }));
  expect(existsSync(path)).toBe(false);
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
  expect(performance.now() - begun).toBeLessThan(busyMs);
  other.exec("COMMIT");
  ledger.flush();
  expect(ledger.timeline([one.id], 9)).toHaveLength(1);
});
