import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { instant } from "../../../src/domain/time.ts";
import { type Ledger } from "../../../src/ledger/port.ts";
import { agedIn, pruneFile } from "../../../src/ledger/prune-file.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { ROWS_AT_ONCE } from "../../../src/ledger/tend.ts";
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

test("pruning beside a daemon takes the same rows, and the daemon goes on", async () => {
  const path = ledgerFile();
  const ledger = filled(path, ROWS_AT_ONCE + 3);
  expect(agedIn(path, at(6))).toEqual(
    expect.arrayContaining([
      { table: "events", rows: ROWS_AT_ONCE + 4, old: ROWS_AT_ONCE + 3 },
      { table: "tool_calls", rows: 1, old: 0 },
    ]),
  );
  const pruned = pruneFile(path, at(6));
  ledger.commit([], [said("meanwhile", one)]);
  expect(await pruned).toBeGreaterThanOrEqual(ROWS_AT_ONCE + 3);
  ledger.commit([], [toolCalled(one, "call-2")]);
  expect(agedIn(path, at(6)).filter(({ old }) => old > 0)).toEqual([]);
});

test("pruning makes no ledger where there is none", async () => {
  const path = ledgerFile();
  await expect(pruneFile(path, instant(1))).rejects.toThrow(LedgerError);
  expect(() => agedIn(path, instant(1))).toThrow(expect.objectContaining({ kind: "missing" }));
  expect(existsSync(path)).toBe(false);
});
