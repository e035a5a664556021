import Database from "better-sqlite3";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { forgetEnded, saySuspect, sayClean, takeEnded } from "../../../src/ledger/ended.ts";
import { openWholeLedger } from "../../../src/ledger/repair/rebuild.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { giveOrder } from "../../../src/ledger/orders.ts";
import { at, run, said, started } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

/** A ledger that was opened as a daemon does it, and closed. */
function closed(): string {
  const path = ledgerFile();
  const { ledger } = openWholeLedger(path);
  ledger.commit([started(run(1))], [said("hello")]);
  ledger.close();
  return path;
}

test("a ledger that was closed has ended cleanly; from the moment that is asked it counts as killed", () => {
  const path = closed();
  expect(takeEnded(path)).toBe("clean");
  expect(existsSync(`${path}.ended`)).toBe(false);
  expect(takeEnded(path)).toBe("unclean");
});

test("a ledger that is open has not ended cleanly", () => {
  const path = closed();
  const { ledger } = openWholeLedger(path);
  onTestFinished(() => ledger.close());
  expect(takeEnded(path)).toBe("unclean");
});

test.each([
  ["an order that was given", (path: string) => giveOrder(path, { type: "drain", why: "w" }, at(1))],
  ["another file in its place", (path: string) => writeFileSync(path, readFileSync(path))],
  ["a change of its time", (path: string) => utimesSync(path, 1, 1)],
  ["a log", (path: string) => writeFileSync(`${path}-wal`, "log")],
  ["another word", (path: string) => writeFileSync(`${path}.ended`, "clean as can be")],
])("%s since then makes the end an unclean one", (_, change) => {
  const path = closed();
  change(path);
  expect(takeEnded(path)).toBe("unclean");
});

test("an empty log, as a reader leaves one, changes nothing", () => {
  const path = closed();
  writeFileSync(`${path}-wal`, "");
  expect(takeEnded(path)).toBe("clean");
});

test("what is suspect stays so, whatever is said of its end, until it was looked at", () => {
  const path = closed();
  saySuspect(path);
  sayClean(path);
  expect(takeEnded(path)).toBe("suspect");
  expect(takeEnded(path)).toBe("suspect");
  forgetEnded(path);
  expect(takeEnded(path)).toBe("unclean");
});

test("only what was opened as a daemon does it says how it ended", () => {
  const path = ledgerFile();
  openLedger(path).close();
  expect(existsSync(`${path}.ended`)).toBe(false);
});

test("damage that a commit meets is looked for by the next start, in all of the ledger", () => {
  const path = closed();
  const db = new Database(path);
  const page = Number(
    db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events_by_time'").pluck().get(),
  );
  db.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, (page - 1) * 4_096, page * 4_096));
  const { ledger, setAside } = openWholeLedger(path);
  expect(setAside).toBeNull();
  expect(() => ledger.commit([], [said("stumbles")])).toThrow(expect.objectContaining({ kind: "damaged" }));
  ledger.close();
  const next = openWholeLedger(path);
  onTestFinished(() => next.ledger.close());
  expect(next.setAside).not.toBeNull();
  next.ledger.commit([], [said("goes on")]);
});
