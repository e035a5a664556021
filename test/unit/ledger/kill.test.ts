import Database from "better-sqlite3";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { ledgerFile } from "./folder.ts";

const rounds = 30;
/** A round is killed after at most this many acknowledged commits, and so much later: anywhere in the next ones. */
const acknowledgedMax = 60;
const delayMaxMs = 3;

const child = fileURLToPath(new URL("kill-child.ts", import.meta.url));

/** Lets a process commit until it has acknowledged `count` times, kills it soon after, and returns all it had acknowledged. */
async function killedAfter(path: string, count: number): Promise<readonly string[]> {
  const process_ = spawn(process.execPath, [child, path], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(process_, "close");
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: process_.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === count) setTimeout(() => process_.kill("SIGKILL"), Math.random() * delayMaxMs);
  }
  expect(await closed).toEqual([null, "SIGKILL"]);
  return acknowledged;
}

test(`a writer killed at any moment loses nothing it acknowledged (${rounds} kills)`, async () => {
  const path = ledgerFile();
  let total = 0;
  for (let round = 0; round < rounds; round += 1) {
    const count = 1 + Math.floor(Math.random() * acknowledgedMax);
    const acknowledged = await killedAfter(path, count);
    total += acknowledged.length;
    expect(lostOf(path, acknowledged), `round ${round}, killed after ${count}`).toEqual([]);
    expect(soundnessOf(path)).toEqual({ integrity: "ok", doubled: 0, strays: 0 });
  }
  expect(total).toBeGreaterThanOrEqual(rounds);
}, 60_000);

function lostOf(path: string, acknowledged: readonly string[]): readonly string[] {
  const ledger = openLedger(path);
  try {
    return acknowledged.filter((line) => {
      const [what, id = ""] = line.split(" ");
      const run = ledger.run(id);
      if (run === null) return true;
      return what === "used" ? run.tokens.total === 0 : what === "ended" && run.ending === null;
    });
  } finally {
    ledger.close();
  }
}

function soundnessOf(path: string): object {
  const db = new Database(path, { readonly: true });
  const one = (sql: string): unknown => db.prepare(sql).pluck().get();
  const sound = {
    integrity: one("PRAGMA integrity_check"),
    doubled: one("SELECT count(*) - count(DISTINCT issue_id) FROM runs WHERE ended_at IS NULL"),
    // A step is written whole: a run without its first fact would be half of one.
    strays: one("SELECT count(*) FROM runs WHERE id NOT IN (SELECT run_id FROM events)"),
  };
  db.close();
  return sound;
}
