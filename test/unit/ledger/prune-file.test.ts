import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { instant } from "../../../src/domain/time.ts";
import { agedIn, pruneFile } from "../../../src/ledger/prune-file.ts";
import { ROWS_AT_ONCE } from "../../../src/ledger/tend.ts";
import { at, run, said, toolCalled } from "../../contract/ledger-records.ts";
import { ledgerFile, filled } from "./folder.ts";

const one = run(1);

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
