import { describe } from "vitest";
import { MemoryLedger } from "../../src/ledger/memory.ts";
import { ledgerSuite } from "./ledger-suite.ts";

describe("the ledger in memory", () => {
  ledgerSuite(() => {
    const ledger = new MemoryLedger();
    const reopen = (): MemoryLedger => ledger;
    return { ledger, reopen };
  });
});
