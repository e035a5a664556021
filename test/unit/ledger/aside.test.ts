import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import {
  clearLeftovers,
  finishSwap,
  placeNew,
  setAside,
  SET_ASIDE_MAX,
  swap,
} from "../../../src/ledger/aside.ts";
import { ledgerFile } from "./folder.ts";

function place(files: Readonly<Record<string, string>>): string {
  const path = ledgerFile();
  mkdirSync(dirname(path));
  for (const [suffix, text] of Object.entries(files)) writeFileSync(path + suffix, text);
  return path;
}

const names = (path: string): string[] => readdirSync(dirname(path)).sort();
const text = (path: string): string => readFileSync(path, "utf8");

test("a new ledger gets its name, and never takes the place of one", () => {
  const path = place({ ".new-1": "new", ".new-2": "second" });
  placeNew(`${path}.new-1`, path);
  placeNew(`${path}.new-2`, path);
  expect(text(path)).toBe("new");
});

test("a swap keeps the old ledger with its log under another name, and leaves no log to the new one", () => {
  const path = place({ "": "old", "-wal": "log", "-shm": "index", ".rebuilding": "whole" });
  const aside = swap(path, `${path}.rebuilding`, "T1");
  expect([text(path), text(aside), text(`${aside}-wal`)]).toEqual(["whole", "old", "log"]);
  expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toEqual([false, false]);
});

test.each([
  [{ "": "old", "-wal": "log", ".rebuilt-T1": "whole" }],
  [{ "-wal": "log", ".damaged-T1": "old", ".rebuilt-T1": "whole" }],
  [{ ".damaged-T1": "old", ".damaged-T1-wal": "log", ".rebuilt-T1": "whole" }],
])("a swap that was cut short is finished, wherever that was: %j", (files) => {
  const path = place(files);
  expect(finishSwap(path)).toBe(`${path}.damaged-T1`);
  expect(names(path)).toEqual(["ledger.db", "ledger.db.damaged-T1", "ledger.db.damaged-T1-wal"]);
  expect(text(path)).toBe("whole");
  expect(finishSwap(path)).toBeNull();
});

test("the newest of the ledgers that were set aside stay, each with its log", () => {
  const path = place({});
  for (let n = 1; n <= SET_ASIDE_MAX + 2; n += 1) {
    writeFileSync(path, `${n}`);
    writeFileSync(`${path}-wal`, `${n}`);
    setAside(path, `T${n}`);
  }
  const kept = names(path).filter((name) => !name.endsWith("-wal"));
  expect(kept).toHaveLength(SET_ASIDE_MAX);
  expect(kept[0]).toBe("ledger.db.damaged-T3");
  expect(names(path)).toHaveLength(2 * SET_ASIDE_MAX);
});

test("what killed attempts left behind goes, and nothing else", () => {
  const path = place({
    "": "l",
    ".new-7": "",
    ".rebuilding": "",
    ".salvage-wal": "",
    ".damaged-T1": "",
    ".ended": "",
  });
  clearLeftovers(path);
  expect(names(path)).toEqual(["ledger.db", "ledger.db.damaged-T1", "ledger.db.ended"]);
});
