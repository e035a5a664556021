import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import type { Ledger } from "../../src/ledger/port.ts";
import { openLedger } from "../../src/ledger/sqlite.ts";
import { ledgerSuite } from "./ledger-suite.ts";

const leftovers: { ledger: Ledger; folder: string }[] = [];

afterEach(() => {
  for (const { ledger, folder } of leftovers.splice(0)) {
    ledger.close();
    rmSync(folder, { recursive: true });
  }
});

describe("the ledger on SQLite", () => {
  ledgerSuite(() => {
    const folder = mkdtempSync(join(tmpdir(), "ledger-"));
    const path = join(folder, "ledger.db");
    const open = (): Ledger => {
      const ledger = openLedger(path);
      leftovers.push({ ledger, folder });
      return ledger;
    };
    const ledger = open();
    return {
      ledger,
      reopen: () => {
        ledger.close();
        leftovers.pop();
        return open();
      },
    };
  });
});
