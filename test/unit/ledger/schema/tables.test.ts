import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../../../src/ledger/schema/migrate.ts";
import { migrations } from "../../../../src/ledger/schema/migrations/migrations.ts";
import { sealedTables } from "../../../../src/ledger/schema/seals.ts";
import { tableNamed, tables } from "../../../../src/ledger/schema/tables.ts";

function fresh(steps: readonly string[] = migrations): Database.Database {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  migrate(db, ":memory:", steps);
  return db;
}

const namesIn = (db: Database.Database): string[] =>
  db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();

const columnsOf = (db: Database.Database, table: string): string[] =>
  db.prepare<[string], string>("SELECT name FROM pragma_table_info(?) ORDER BY cid").pluck().all(table);

test("the catalogue has exactly the tables of the schema", () => {
  expect(tables.map(({ name }) => name).sort()).toEqual(namesIn(fresh()));
});

test("a table that is new in the schema is missed in the catalogue", () => {
  const more = [...migrations, "CREATE TABLE moods (id TEXT PRIMARY KEY, seal INTEGER) STRICT;"];
  expect(namesIn(fresh(more))).not.toEqual(tables.map(({ name }) => name).sort());
  const stranger = sealedTables(fresh(more)).find(({ name }) => name === "moods");
  // Until it is in there its rows are looked at with those that decide.
  expect(stranger).toMatchObject({ about: null, decides: true });
});

test("a table is sealed if the catalogue says so", () => {
  const db = fresh();
  for (const { name, sealed } of tables) expect(columnsOf(db, name).includes("seal"), name).toBe(sealed);
});

test("what ages has a column to age by and an index on it, and is kept as long as history is", () => {
  const db = fresh();
  for (const { name, agedBy, kept } of tables) {
    expect(agedBy !== null, name).toBe(kept === "retention");
    if (agedBy === null) continue;
    expect(columnsOf(db, name)).toContain(agedBy);
    const plan = db.prepare<[number], { detail: string }>(
      `EXPLAIN QUERY PLAN SELECT rowid FROM ${name} WHERE ${agedBy} < ? ORDER BY ${agedBy}`,
    );
    expect(
      plan
        .all(0)
        .map(({ detail }) => detail)
        .join(),
    ).toMatch(/^SEARCH/);
  }
});

test("what is forgotten with age decides nothing", () => {
  for (const { name, agedBy, decides } of tables) expect(agedBy !== null && decides, name).toBe(false);
});

test("a table of an older ledger is known by the name it had", () => {
  const older = sealedTables(fresh(migrations.slice(0, 1)));
  expect(older.map(({ about }) => about).filter((about) => about === null)).toEqual([]);
  expect(tableNamed("commands")?.name).toBe("orders");
  expect(tableNamed("strangers")).toBeNull();
});
