/**
 * Writes to a ledger in the folder named on the command line until there is no room, frees some, goes on; prints figures
 * as JSON. The folder is a small disk (`disk` as the second argument), or the database is kept from growing.
 */
import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkLedger } from "../../../src/ledger/repair/check.ts";
import { realTimer } from "../../../src/ledger/backlog.ts";
import { connect } from "../../../src/ledger/connect.ts";
import { SqliteLedger } from "../../../src/ledger/sqlite.ts";
import { run, said } from "../../contract/ledger-records.ts";
import { stepsOf } from "./life.ts";

const [, , folder = "", limit = "disk", count = "1"] = process.argv;
const rounds = Number(count);
const ROOM_BYTES = 256 * 1024;
const PAGE_BYTES = 4_096;
/** The batches of facts come fifty times as fast as in a daemon. */
const HURRY = 50;
/**
 * What SQLite may need before it goes on: its log, which is moved into the database as soon as there is any room for that
 * (ledger/connect.ts: 4 MB, and what one commit adds).
 */
const ROOMS_MAX = 20;
/** More commits than fit into what is freed at once. */
const COMMITS_MAX = 5_000;

const path = join(folder, "state", "ledger.db");
mkdirSync(join(folder, "state"), { recursive: true });
const ballast = (n: number): string => join(folder, `ballast-${n}`);
if (limit === "disk")
  for (let n = 0; n < rounds + ROOMS_MAX; n += 1) writeFileSync(ballast(n), Buffer.alloc(ROOM_BYTES, 1));
const db = connect(path, 100);
const ledger = new SqliteLedger(db, path, { setTimer: (ring, ms) => realTimer(ring, ms / HURRY) });
let roomsGiven = 0;
const room = (): void => {
  roomsGiven += 1;
  if (limit === "disk") return rmSync(ballast(roomsGiven - 1));
  db.pragma(
    `max_page_count = ${Number(db.pragma("page_count", { simple: true })) + ROOM_BYTES / PAGE_BYTES}`,
  );
};
if (limit !== "disk") room();

const figures = {
  acknowledged: 0,
  refused: 0,
  lost: 0,
  wrong: 0,
  unread: 0,
  stuck: 0,
  /** Rooms given because the first was taken by the log. */
  moreRoom: 0,
  factsLost: 0,
  slowestRefusalMs: 0,
};
let [next, facts] = [1, 0];
const steps = stepsOf(next).slice();

for (let round = 0; round < rounds; round += 1) {
  fill();
  // Still full: nothing that was asked for twice may be half there, and reading goes on.
  for (let again = 0; again < 3; again += 1) if (commits()) figures.wrong += 1;
  if (ledger.runs({ limit: 100_000 }).length < next - 1) figures.unread += 1;
  const before = writtenFacts();
  for (let n = 0; n < 5; n += 1) ledger.append(said(`waits ${round} ${n}`, run(1)));
  facts += 5;
  room();
  await until(() => writtenFacts() >= before + 5);
  goOn(round);
}
ledger.close();
figures.factsLost = Math.abs(facts - countOf("waits"));
figures.lost = lost();
figures.wrong += checkLedger(path)
  .slice(0, 3)
  .filter(({ problems }) => problems.length > 0).length;
const named = Object.entries(figures).map(([name, count]) => [
  `ledger${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
  count,
]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(named))}\n`);

/** With room for the log it goes on; more is given only where the log has taken what there was. */
function goOn(round: number): void {
  while (!commits()) {
    if (roomsGiven > round + ROOMS_MAX) {
      figures.stuck += 1;
      return;
    }
    figures.moreRoom += 1;
    room();
  }
}

function fill(): void {
  for (let n = 0; n < COMMITS_MAX; n += 1) if (!commits()) return;
  figures.wrong += 1;
}

/** Commits the next step; the same one again after it was refused. */
function commits(): boolean {
  const [step] = steps;
  if (step === undefined) {
    next += 1;
    steps.push(...stepsOf(next));
    return commits();
  }
  const begun = performance.now();
  try {
    ledger.commit(step.records, [...step.facts, said("x".repeat(3_000), run(1))]);
    steps.shift();
    figures.acknowledged += 1;
    return true;
  } catch (error) {
    if (!(error instanceof LedgerError) || error.kind !== "full") throw error;
    figures.refused += 1;
    figures.slowestRefusalMs = Math.max(figures.slowestRefusalMs, performance.now() - begun);
    return false;
  }
}

function writtenFacts(): number {
  return Number(db.prepare("SELECT count(*) FROM events").pluck().get());
}

function countOf(text: string): number {
  const again = connect(path, 100);
  const found = Number(
    again.prepare("SELECT count(*) FROM events WHERE fact LIKE ?").pluck().get(`%${text} %`),
  );
  again.close();
  return found;
}

/** Steps acknowledged and steps found must agree: three to a run. */
function lost(): number {
  if (!existsSync(path)) return figures.acknowledged;
  const again = connect(path, 100);
  const count = (sql: string): number => Number(again.prepare(sql).pluck().get());
  const found =
    count("SELECT count(*) FROM runs") +
    count("SELECT count(*) FROM turns") +
    count("SELECT count(*) FROM runs WHERE ended_at IS NOT NULL");
  again.close();
  return Math.abs(figures.acknowledged - found);
}

async function until(is: () => boolean): Promise<void> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    if (is()) return;
    await sleep(5);
  }
  figures.stuck += 1;
}
