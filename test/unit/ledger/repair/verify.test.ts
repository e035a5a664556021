import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import {
  type Depth,
  damageOf,
  historyDamage,
  versionBySchema,
} from "../../../../src/ledger/repair/verify.ts";
import { migrate } from "../../../../src/ledger/schema/migrate.ts";
import { migrations } from "../../../../src/ledger/schema/migrations/migrations.ts";
import { knowSeals } from "../../../../src/ledger/schema/seals.ts";
import { openLedger } from "../../../../src/ledger/sqlite.ts";
import { live } from "../../../faults/ledger/life.ts";
import { ledgerFile } from "../folder.ts";

/** A ledger with a past, and what other hands did to it. */
function changed(sql: string): Database.Database {
  const path = ledgerFile();
  const ledger = openLedger(path);
  live(ledger, 20, () => {});
  ledger.close();
  const db = new Database(path);
  onTestFinished(() => void db.close());
  knowSeals(db);
  db.exec(sql);
  return db;
}

const depths: readonly Depth[] = ["what holds", "what decides", "every page"];
const seenBy = (db: Database.Database): readonly Depth[] =>
  depths.filter((depth) => damageOf(db, "/l", depth).length > 0);

test("a sound ledger is sound however closely it is looked at", () => {
  const db = changed("");
  expect([seenBy(db), historyDamage(db)]).toEqual([[], []]);
});

test.each([
  ["UPDATE claims SET why = 'x'", depths],
  ["DELETE FROM tallies WHERE rowid = (SELECT min(rowid) FROM tallies)", depths],
  ["UPDATE runs SET title = 'x' WHERE id = 'r1'", ["what decides", "every page"]],
  ["DELETE FROM usage", ["what decides", "every page"]],
  ["UPDATE events SET type = 'x' WHERE id = 1", []],
] as const)("%s is seen by those who look that closely", (sql, by) => {
  expect(seenBy(changed(sql))).toEqual(by);
});

test("history that was changed is seen by who asks for it", () => {
  expect(historyDamage(changed("UPDATE turns SET message = 'x' WHERE run_id = 'r1'"))).toEqual([
    "turns: 1 of its rows do not fit their checksum",
  ]);
});

test("what is no ledger, and what a newer version made, is told apart from damage", () => {
  const theirs = new Database(":memory:");
  onTestFinished(() => void theirs.close());
  theirs.exec("CREATE TABLE theirs (x)");
  expect(() => damageOf(theirs, "/l")).toThrow(expect.objectContaining({ kind: "foreign" }));
  const newer = changed("CREATE TABLE novelty (x TEXT) STRICT; PRAGMA user_version = 99");
  expect(() => damageOf(newer, "/l")).toThrow(expect.objectContaining({ kind: "newer" }));
  expect(damageOf(changed("DROP VIEW v_runs"), "/l")).toEqual([
    expect.stringContaining("are not those of schema"),
  ]);
});

test("each version is known by its schema", () => {
  for (const version of migrations.keys()) {
    const db = new Database(":memory:");
    onTestFinished(() => void db.close());
    migrate(db, ":memory:", migrations.slice(0, version + 1));
    expect(versionBySchema(db)).toBe(version + 1);
  }
});
