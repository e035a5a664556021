import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stillThere, takenAway } from "../../../src/ledger/still-there.ts";
import { run, started } from "../../contract/ledger-records.ts";
import { ledgerFile, open } from "./folder.ts";

test("a ledger that is written stays the one it was", () => {
  const path = ledgerFile();
  const ledger = open(path);
  const isThere = stillThere(path);
  ledger.commit([started(run(1))], []);
  ledger.tidy();
  expect(isThere()).toBe(true);
});

test.each([
  ["deleted", (path: string) => rmSync(path)],
  ["moved", (path: string) => renameSync(path, `${path}.old`)],
  [
    "replaced by its own copy",
    (path: string) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
])("one that is %s is not there any more", (_how, take) => {
  const path = ledgerFile();
  open(path);
  const isThere = stillThere(path);
  take(path);
  expect(isThere()).toBe(false);
});

test("a place that cannot be looked at says nothing", () => {
  expect(stillThere(join("\0", "ledger.db"))()).toBe(true);
});

test("what is said of it names the file and what to do", () => {
  expect(takenAway("/srv/ledger.db")).toMatchObject({ kind: "lost", mayPass: false });
});
