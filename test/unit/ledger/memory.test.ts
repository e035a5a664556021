import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { expect, test } from "vitest";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import { run, said, started } from "../../contract/ledger-records.ts";

test("a commit can be made to fail, and then writes nothing", () => {
  let full = true;
  const error = new LedgerError("full", ":memory:", "full", "wait");
  const ledger = new MemoryLedger({ trouble: () => (full ? error : null) });
  const one = run(1);
  expect(() => ledger.commit([started(one)], [said("a", one)])).toThrow(error);
  expect(ledger.load().open).toEqual([]);
  full = false;
  ledger.commit([started(one)], [said("a", one)]);
  expect(ledger.load().open).toHaveLength(1);
  expect(ledger.timeline([one.id], 9)).toHaveLength(1);
});
