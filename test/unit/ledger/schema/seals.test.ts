import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../../../src/ledger/schema/migrate.ts";
import { migrations } from "../../../../src/ledger/schema/migrations/migrations.ts";
import {
  brokenSeals,
  brokenSums,
  knowSeals,
  reseal,
  sealedTables,
  sealOf,
} from "../../../../src/ledger/schema/seals.ts";

function fresh(steps: readonly string[] = migrations): Database.Database {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  migrate(db, ":memory:", steps);
  return db;
}

const wrong = (db: Database.Database): readonly string[] => {
  const tables = sealedTables(db);
  return [
    ...brokenSeals(db, tables),
    ...brokenSums(
      db,
      tables.filter(({ decides }) => decides),
    ),
  ];
};

test("a column added later leaves old seals as they are; a null in the middle counts", () => {
  expect(sealOf("t", ["a", 1, null, null])).toBe(sealOf("t", ["a", 1]));
  expect(sealOf("t", ["a", null, 1])).not.toBe(sealOf("t", ["a", 1]));
});

test("whose row it is and where one value ends count", () => {
  expect(sealOf("t", ["ab", "c"])).not.toBe(sealOf("t", ["a", "bc"]));
  expect(sealOf("t", ["a"])).not.toBe(sealOf("u", ["a"]));
});

test("a seal is the same whether it is made before a row is written or from the row", () => {
  const db = fresh();
  const values = ["w", "\ud800 half, \u0000 and \ud83d\ude00", 12, 2.5, null];
  db.exec("CREATE TABLE odd (a TEXT, b TEXT, c REAL, d REAL, e TEXT) STRICT");
  db.prepare("INSERT INTO odd VALUES (?, ?, ?, ?, ?)").run(...values);
  expect(db.prepare("SELECT row_seal('odd', a, b, c, d, e) FROM odd").pluck().get()).toBe(
    sealOf("odd", values),
  );
});

test.each([1, migrations.length])(
  "in schema %i a row that is changed, gone or put in is noticed",
  (version) => {
    const db = fresh(migrations.slice(0, version));
    knowSeals(db);
    db.exec("INSERT INTO pauses (scope, why, since) VALUES ('*', 'freeze', 1), ('main', 'freeze', 1)");
    expect(wrong(db)).toHaveLength(1);
    reseal(db);
    expect(wrong(db)).toEqual([]);
    db.exec("UPDATE pauses SET why = 'thaw' WHERE scope = '*'");
    expect(wrong(db)).toEqual(["pauses: 1 of its rows do not fit their checksum"]);
    reseal(db);
    db.exec("DELETE FROM pauses WHERE scope = 'main'");
    expect(wrong(db)).toEqual([expect.stringContaining("some are missing")]);
  },
);

test("a sum that is gone, or there twice, is none", () => {
  const db = fresh();
  db.exec("DELETE FROM seals WHERE name = 'pauses'");
  expect(wrong(db)).toEqual([expect.stringContaining("not all of one moment")]);
});

test("the step that renames a table leaves a row that did not fit as it was: not fitting", () => {
  const db = fresh(migrations.slice(0, 1));
  db.exec("INSERT INTO commands (id, at, body) VALUES (1, 1, 'a'), (2, 1, 'b')");
  reseal(db, () => true);
  db.exec("UPDATE commands SET body = 'changed' WHERE id = 2");
  migrate(db, ":memory:");
  expect(wrong(db)).toEqual(["orders: 1 of its rows do not fit their checksum"]);
});
