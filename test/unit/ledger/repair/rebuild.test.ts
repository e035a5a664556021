import Database from "better-sqlite3";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SET_ASIDE_MAX } from "../../../../src/ledger/aside.ts";
import { checkLedger } from "../../../../src/ledger/repair/check.ts";
import type { Saved } from "../../../../src/ledger/port.ts";
import {
  openWholeLedger,
  type LedgerOpened,
  type OpeningOptions,
} from "../../../../src/ledger/repair/rebuild.ts";
import { saySuspect } from "../../../../src/ledger/ended.ts";
import { migrations } from "../../../../src/ledger/schema/migrations/migrations.ts";
import { openLedger } from "../../../../src/ledger/sqlite.ts";
import { at, issue } from "../../../contract/ledger-records.ts";
import { live } from "../../../faults/ledger/life.ts";
import { folder, ledgerFile } from "../folder.ts";

const RUNS = 20;

/** A ledger with a past, closed; and what a start would have loaded from it. */
function lived(path = ledgerFile()): { path: string; saved: Saved } {
  const ledger = openLedger(path);
  live(ledger, RUNS, () => {});
  const saved = ledger.load();
  ledger.close();
  return { path, saved };
}

function opened(path: string, options: OpeningOptions = {}): LedgerOpened {
  const result = openWholeLedger(path, { now: () => at(1), ...options });
  onTestFinished(() => result.ledger.close());
  return result;
}

function sql(path: string, text: string): void {
  const db = new Database(path);
  db.exec(text);
  db.close();
}

/** One flipped bit in the head of a row says that a text is bytes. The table itself takes none, so it is lent another form. */
function asBytes(path: string, table: string, column: string): void {
  const alter = (change: (db: Database.Database) => void): void => {
    const db = new Database(path);
    db.unsafeMode();
    db.pragma("writable_schema = ON");
    change(db);
    db.close();
  };
  const form = `sqlite_schema SET sql = ? WHERE name = '${table}'`;
  let strict = "";
  alter((db) => {
    strict = String(db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(table));
    db.prepare(`UPDATE ${form}`).run(strict.replace(/\bSTRICT\b/, ""));
  });
  alter((db) => {
    db.exec(`UPDATE ${table} SET ${column} = CAST(${column} AS BLOB) WHERE rowid = 1`);
    db.prepare(`UPDATE ${form}`).run(strict);
  });
}

/** Without the word of a clean end. */
const names = (path: string): string[] =>
  readdirSync(dirname(path))
    .filter((name) => !name.endsWith(".ended"))
    .sort();
const stamp = "20310509T080001.000Z";

test("a sound ledger is opened without a word, and so is a new one", () => {
  const { path, saved } = lived();
  const found = opened(path);
  expect(found).toMatchObject({ setAside: null, recovered: null, warning: null });
  expect(found.ledger.load()).toEqual(saved);
  expect(opened(ledgerFile())).toMatchObject({ setAside: null, recovered: null, warning: null });
});

test("what is no database in the place of a ledger is kept as it is under another name, said, and replaced", () => {
  const path = `${folder()}/ledger.db`;
  const text = "Not a database, but long enough to be looked at. ".repeat(90);
  writeFileSync(path, text);
  writeFileSync(`${path}.ended`, "a ledger was here");
  const found = opened(path);
  expect(found.setAside).toBe(`${path}.damaged-${stamp}`);
  expect(readFileSync(`${path}.damaged-${stamp}`, "utf8")).toBe(text);
  expect(found.warning).toMatch(/was damaged; .*is kept beside it as .*What to do.*took over nothing/s);
  expect(found.ledger.load().runsEver).toBe(0);
  found.ledger.close();
  sql(path, "SELECT 1");
  expect(checkLedger(path).flatMap(({ problems }) => problems)).toEqual([]);
});

test("the warning is part of the new ledger's history", () => {
  const path = `${folder()}/ledger.db`;
  writeFileSync(path, "");
  writeFileSync(`${path}.ended`, "a ledger was here");
  const { ledger, warning } = opened(path);
  ledger.close();
  const db = new Database(path, { readonly: true });
  onTestFinished(() => void db.close());
  expect(db.prepare("SELECT fact ->> 'message' FROM events WHERE type = 'warning'").pluck().get()).toBe(
    warning,
  );
});

test.each([
  [
    "an empty file in its place",
    (path: string) => (writeFileSync(path, ""), writeFileSync(`${path}.ended`, "a ledger was here")),
  ],
  ["a log without its database", (path: string) => (writeFileSync(`${path}-wal`, "log"), rmSync(path))],
  ["an index of a log that is gone", (path: string) => writeFileSync(`${path}-shm`, Buffer.alloc(32_768))],
  ["half of the file", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 40_000))],
])("%s is damage", (_, damage) => {
  const { path } = lived();
  damage(path);
  const found = opened(path);
  expect(found.setAside).not.toBeNull();
  expect(names(path).some((name) => name.startsWith("ledger.db.damaged-"))).toBe(true);
});

test("a row that was changed by other hands is not believed; all others are taken over exactly", () => {
  const { path, saved } = lived();
  const [cheap] = [issue(3).id];
  sql(path, `UPDATE tallies SET runs = 0, total_tokens = 0 WHERE issue_id = '${cheap}'`);
  const { ledger, warning, recovered } = opened(path);
  expect(warning).toContain("tallies: 1 of its rows do not fit their checksum");
  const now = ledger.load();
  expect({ ...now, tallies: null, holds: null }).toEqual({ ...saved, tallies: null, holds: null });
  for (const [id, tally] of saved.tallies) if (id !== cheap) expect(now.tallies.get(id)).toEqual(tally);
  // Runs say what it must have been at least.
  const used = ledger.runs({ issue: cheap, limit: 99 });
  expect(now.tallies.get(cheap)).toMatchObject({
    runs: used.length,
    tokens: { total: used.reduce((sum, { tokens }) => sum + tokens.total, 0) },
    thread: used[0]?.thread,
  });
  expect(recovered).toMatchObject({ tallies: saved.tallies.size - 1, runs: RUNS, installation: 1 });
});

test("a row whose text has become bytes is left out, though its checksum fits; all others are taken over", () => {
  const { path } = lived();
  asBytes(path, "turns", "turn_id");
  // A start has no other reason to look at what only tells what happened.
  saySuspect(path);
  const { ledger, recovered, warning } = opened(path);
  expect(warning).toContain("was damaged");
  expect(recovered).toMatchObject({ turns: RUNS - 1, runs: RUNS });
  expect(ledger.load().runsEver).toBe(RUNS);
});

test("rows that are missing are noticed", () => {
  const { path } = lived();
  sql(path, "DELETE FROM claims WHERE rowid = (SELECT min(rowid) FROM claims)");
  expect(opened(path).warning).toContain("not all of one moment");
});

test("a ledger whose schema cannot be read any more loses none of its rows", () => {
  const { path, saved } = lived();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 0, 4_096));
  const { ledger, warning } = opened(path);
  expect(warning).toContain(`${saved.claims.length} claims, ${saved.tallies.size} tallies, ${RUNS} runs`);
  expect(ledger.load()).toEqual(saved);
});

test("a run that is only known by its events keeps its number, so that no other gets it", () => {
  const { path } = lived();
  sql(path, `UPDATE runs SET title = 'changed' WHERE id = 'r${RUNS}'`);
  const { ledger } = opened(path);
  expect(ledger.load().runsEver).toBe(RUNS);
  expect(ledger.run(`r${RUNS}`)).toMatchObject({ title: "(lost)", ending: { outcome: "lost" } });
});

test("a ledger that is gone goes on under the name of the last one, and is missed; without a last one it is new", () => {
  const { path, saved } = lived();
  rmSync(path);
  const found = opened(path, { installation: saved.installation });
  expect(found).toMatchObject({ setAside: null, recovered: null });
  expect(found.warning).toMatch(/A daemon has worked here before.*is gone/s);
  expect(found.ledger.load()).toMatchObject({ installation: saved.installation, runsEver: 0 });
  found.ledger.close();
  expect(opened(path, { installation: saved.installation }).warning).toBeNull();
});

test("the name of a ledger that lost it is that of the last start", () => {
  const { path } = lived();
  sql(path, "UPDATE installation SET id = 'other'");
  expect(opened(path, { installation: "a1b2" }).ledger.load().installation).toBe("a1b2");
});

test("a database of another program, or of a newer version, is refused and stays where it is", () => {
  const theirs = `${folder()}/ledger.db`;
  sql(theirs, "CREATE TABLE theirs (x)");
  expect(() => openWholeLedger(theirs)).toThrow(expect.objectContaining({ kind: "foreign" }));
  const { path: newer } = lived();
  sql(newer, "CREATE TABLE novelty (x TEXT) STRICT; PRAGMA user_version = 99");
  expect(() => openWholeLedger(newer)).toThrow(expect.objectContaining({ kind: "newer" }));
  // Looking at a database that has a log leaves an empty one behind.
  for (const path of [theirs, newer])
    expect(names(path).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(["ledger.db"]);
});

test("a header that says another version than the tables is damage, not another version", () => {
  const { path, saved } = lived();
  sql(path, "PRAGMA user_version = 99");
  const { ledger, warning } = opened(path);
  expect(warning).toContain(`its header says schema 99, its tables are those of schema ${migrations.length}`);
  expect(ledger.load()).toEqual(saved);
});

/** The moments of a replacement at which a kill may come: the files as they are then. */
const moments: readonly (readonly [string, (path: string) => void])[] = [
  ["before anything was moved", () => {}],
  ["when the database was moved", (path) => renameSync(path, `${path}.damaged-${stamp}`)],
  [
    "when its log was moved too",
    (path) => {
      renameSync(path, `${path}.damaged-${stamp}`);
      renameSync(`${path}-wal`, `${path}.damaged-${stamp}-wal`);
    },
  ],
];

test.each(moments)("a replacement that a kill cut short %s is finished by the next start", (_, move) => {
  const { path: whole, saved } = lived();
  const path = ledgerFile();
  mkdirSync(dirname(path));
  writeFileSync(path, "damaged");
  // A log that would destroy the new database if it were ever applied to it.
  writeFileSync(`${path}-wal`, "the damaged one's log");
  copyFileSync(whole, `${path}.rebuilt-${stamp}`);
  move(path);
  const found = opened(path);
  expect(found.setAside).toBe(`${path}.damaged-${stamp}`);
  expect(found.warning).toContain("was ended while it replaced it");
  expect(found.ledger.load()).toEqual(saved);
  found.ledger.close();
  expect(names(path)).toEqual(["ledger.db", `ledger.db.damaged-${stamp}`, `ledger.db.damaged-${stamp}-wal`]);
  expect(readFileSync(`${path}.damaged-${stamp}`, "utf8")).toBe("damaged");
});

test("what a killed replacement had only begun is cleared away", () => {
  const { path } = lived();
  for (const part of ["new-77", "rebuilding", "salvage", "salvage-wal"])
    writeFileSync(`${path}.${part}`, "half");
  opened(path).ledger.close();
  expect(names(path)).toEqual(["ledger.db"]);
});

test(`a disk that damages the ledger again and again keeps the last ${SET_ASIDE_MAX} of them`, () => {
  const path = ledgerFile();
  mkdirSync(dirname(path));
  for (let second = 1; second <= SET_ASIDE_MAX + 2; second += 1) {
    writeFileSync(path, "damaged");
    writeFileSync(`${path}-wal`, "log");
    openWholeLedger(path, { now: () => at(second) }).ledger.close();
  }
  const kept = names(path).filter((name) => /damaged-[^-]*$/.test(name));
  expect(kept).toHaveLength(SET_ASIDE_MAX);
  expect(kept[0]).toContain("T080003");
  expect(existsSync(`${dirname(path)}/${kept[0]}-wal`)).toBe(true);
});
