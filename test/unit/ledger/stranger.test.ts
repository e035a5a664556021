import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkLedger, openWholeLedger } from "../../../src/ledger/repair/repair.ts";
import { openLedger, openLedgerReadOnly } from "../../../src/ledger/sqlite.ts";
import { ledgerFile } from "../../../src/ledger/stranger.ts";
import { folder } from "./folder.ts";

const refused = (text: RegExp): object =>
  expect.objectContaining({ kind: "foreign", message: expect.stringMatching(text) as string });

test.each([
  ["a text", "root:x:0:0:root\n".repeat(90), /is no ledger: it is a text file that begins with "root:x:0/],
  ["nothing", "", /is no ledger: it is an empty file/],
  [
    "a picture",
    "\u0089PNG\r\n\u001a\n and more of it".repeat(90),
    /is no ledger: it is a file of another kind/,
  ],
])(
  "a file that is %s is never set aside as a damaged ledger: it is left as it is and said",
  (_, text, said) => {
    const path = join(folder(), "ledger.db");
    writeFileSync(path, text);
    expect(() => openWholeLedger(path)).toThrow(refused(said));
    expect(readFileSync(path, "utf8")).toBe(text);
    if (text === "") return;
    expect(() => openLedger(path)).toThrow(refused(said));
    expect(() => openLedgerReadOnly(path)).toThrow(refused(said));
    expect(() => checkLedger(path)).toThrow(refused(said));
  },
);

test("a file in whose place a ledger was is a damaged one: its log is there, its end was noted, or its lock knows it", () => {
  const damaged = "damaged beyond recognition ".repeat(90);
  for (const trace of ["-wal", ".ended"]) {
    const path = join(folder(), "ledger.db");
    writeFileSync(path, damaged);
    writeFileSync(path + trace, "trace");
    const { ledger, setAside } = openWholeLedger(path);
    ledger.close();
    expect(setAside).not.toBeNull();
  }
  const path = join(folder(), "ledger.db");
  writeFileSync(path, damaged);
  const { ledger, setAside } = openWholeLedger(path, { installation: "a1b2" });
  ledger.close();
  expect(setAside).not.toBeNull();
});

test("a ledger whose first page alone is gone is a damaged one, wherever it is found", () => {
  const path = join(folder(), "ledger.db");
  openLedger(path).close();
  const copy = join(folder(), "copy.db");
  writeFileSync(copy, readFileSync(path).fill(0xff, 0, 4_096));
  const { ledger, setAside } = openWholeLedger(copy);
  ledger.close();
  expect(setAside).not.toBeNull();
});

test("a ledger behind a link is the file itself, with the log beside it, also when it is rebuilt", () => {
  const [here, there] = [folder(), folder()];
  const link = join(here, "ledger.db");
  const real = join(there, "real.db");
  symlinkSync(real, link);
  expect(ledgerFile(link)).toBe(real);
  openLedger(ledgerFile(link)).close();
  expect(ledgerFile(link)).toBe(real);
  writeFileSync(`${real}-wal`, "a log");
  writeFileSync(real, "damaged");
  const { ledger, setAside } = openWholeLedger(ledgerFile(link));
  expect(readFileSync(`${setAside}-wal`, "utf8")).toBe("a log");
  ledger.close();
  expect(existsSync(link)).toBe(true);
});

test("links that go round in a circle are left as they are named", () => {
  const path = join(folder(), "a.db");
  symlinkSync(path, path);
  expect(ledgerFile(path)).toBe(path);
});
