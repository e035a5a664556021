/**
 * Another program at the ledger named on the command line: `writer` holds the write lock again and again, `reader` looks
 * at it in long transactions and prints for each whether what it saw was of one moment. Runs until it is killed; without
 * a ledger it ends at once.
 */
import { writeSync } from "node:fs";
import Database from "better-sqlite3";
import { brokenSums, knowSeals, sealedTables } from "../../../src/ledger/schema/seals.ts";
import { Random } from "../../sim/random.ts";

const [, , path, kind = "reader", holdMaxMs = "30", seed = "1"] = process.argv;
const cell = new Int32Array(new SharedArrayBuffer(4));

if (path !== undefined) hold(path);

function hold(file: string): never {
  const random = new Random(Number(seed));
  const db = new Database(file, { timeout: 10_000 });
  knowSeals(db);
  const once = kind === "writer" ? write : read;
  say("ready");
  for (;;) {
    once(db, random.next() * Number(holdMaxMs));
    wait(random.next() * 5);
  }
}

function write(db: Database.Database, ms: number): void {
  db.exec("BEGIN IMMEDIATE");
  wait(ms);
  db.exec("COMMIT");
}

function read(db: Database.Database, ms: number): void {
  db.exec("BEGIN");
  const before = look(db);
  wait(ms);
  say(look(db) !== before || brokenSums(db, deciding(db)).length > 0 ? "torn" : "whole");
  db.exec("COMMIT");
}

function deciding(db: Database.Database): ReturnType<typeof sealedTables> {
  return sealedTables(db).filter(({ decides }) => decides);
}

function look(db: Database.Database): unknown {
  return db.prepare("SELECT count(*) || ' ' || coalesce(sum(total_tokens), 0) FROM runs").pluck().get();
}

function wait(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}

function say(what: string): void {
  writeSync(1, `${what}\n`);
}
