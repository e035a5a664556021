import Database from "better-sqlite3";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { backUp } from "../../../src/ledger/backup.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { dump } from "../../faults/ledger/dump.ts";
import { folder, lively } from "./folder.ts";

test("a backup is a whole ledger of its own, made beside the daemon, for its owner's eyes only", () => {
  const { path, ledger } = lively();
  const to = join(folder(), "deeper", "copy.db");
  const made = backUp(path, to);
  expect(made).toEqual({ path: to, bytes: statSync(to).size });
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(to))).toEqual(["copy.db"]);
  expect(dump(to)).toEqual(dump(path));
  ledger.commit([], []);
  const again = openLedger(to);
  onTestFinished(() => again.close());
  expect(again.load()).toEqual(ledger.load());
});

test("a backup never replaces a file", () => {
  const { path } = lively();
  const to = join(folder(), "copy.db");
  writeFileSync(to, "precious");
  expect(() => backUp(path, to)).toThrow(/is there already/);
  expect(statSync(to).size).toBe(8);
});

test("a damaged ledger makes no backup that looks like one", () => {
  const { path, ledger } = lively();
  ledger.close();
  const db = new Database(path);
  db.exec("UPDATE runs SET title = 'changed' WHERE id = 'r1'");
  db.close();
  const to = join(folder(), "copy.db");
  expect(() => backUp(path, to)).toThrow(expect.objectContaining({ kind: "damaged" }));
  expect(readdirSync(dirname(to))).toEqual([]);
});

test("a backup to where nothing can be written says so", () => {
  const { path } = lively();
  const file = join(folder(), "file");
  writeFileSync(file, "");
  expect(() => backUp(path, join(file, "copy.db"))).toThrow(/writing the backup to/);
  expect(() => backUp(join(folder(), "none.db"), join(folder(), "copy.db"))).toThrow(
    expect.objectContaining({ kind: "missing" }),
  );
});
