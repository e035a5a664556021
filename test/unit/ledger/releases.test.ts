/** Ledgers as each released version left them: opened, brought up to date, and read. */
import Database from "better-sqlite3";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sayClean } from "../../../src/ledger/ended.ts";
import { checkLedger } from "../../../src/ledger/repair/check.ts";
import { openWholeLedger } from "../../../src/ledger/repair/rebuild.ts";
import { folder } from "./folder.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/ledger");

test.each(readdirSync(fixtures))("a ledger of %s is opened with all that was in it", (release) => {
  const path = join(folder(), "ledger.db");
  copyFileSync(join(fixtures, release, "ledger.db"), path);
  const { ledger, warning } = openWholeLedger(path);
  onTestFinished(() => ledger.close());
  expect(warning).toBeNull();
  expect(ledger.load().claims.length).toBeGreaterThan(50);
  expect(ledger.orders().map(({ order }) => order.type)).toEqual([
    "pause",
    "pause",
    "resume",
    "drain",
    "release",
  ]);
  expect(ledger.runs({ limit: 99 }).map(({ ending }) => ending?.outcome)).toContain("timed_out");
  // The claims were written without their runs, so not all tables agree: the rows themselves are whole.
  const checks = checkLedger(path).slice(0, 3);
  expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
});

test.each(readdirSync(fixtures))(
  "a damaged ledger of %s is rebuilt with every row that fits, under today's names",
  (release) => {
    const path = join(folder(), "ledger.db");
    copyFileSync(join(fixtures, release, "ledger.db"), path);
    const db = new Database(path);
    db.exec("UPDATE claims SET why = 'changed' WHERE rowid = 1");
    const orders = db.prepare("SELECT count(*) FROM commands").pluck().get();
    const claims = Number(db.prepare("SELECT count(*) FROM claims").pluck().get());
    db.close();
    const { ledger, recovered } = openWholeLedger(path);
    onTestFinished(() => ledger.close());
    expect(recovered).toMatchObject({ orders, claims: claims - 1 });
    expect(ledger.orders()).toHaveLength(Number(orders));
    expect(
      checkLedger(path)
        .slice(0, 3)
        .flatMap(({ problems }) => problems),
    ).toEqual([]);
  },
);

test.each(readdirSync(fixtures))(
  "what a disk did to a ledger of %s since its clean end is found before it is sealed anew",
  (release) => {
    const path = join(folder(), "ledger.db");
    copyFileSync(join(fixtures, release, "ledger.db"), path);
    const db = new Database(path);
    db.exec("UPDATE runs SET title = 'changed' WHERE rowid = 1");
    db.close();
    sayClean(path);
    const { ledger, setAside } = openWholeLedger(path);
    onTestFinished(() => ledger.close());
    expect(setAside).not.toBeNull();
  },
);
