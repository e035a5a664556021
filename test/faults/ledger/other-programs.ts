/**
 * Other programs at the ledger. One holds the write lock for longer and shorter than a commit waits, others read in
 * long transactions while the log is moved into the database. No commit is lost or half there, none waits longer than it
 * may, and no reader sees two moments at once. Times are a hundredth of a daemon's.
 */
import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate as turn } from "node:timers/promises";
import type Database from "better-sqlite3";
import { checkLedger } from "../../../src/ledger/repair/check.ts";
import { connect } from "../../../src/ledger/connect.ts";
import { SqliteLedger } from "../../../src/ledger/sqlite.ts";
import { run as someRun, said } from "../../contract/ledger-records.ts";
import { fastStart, program } from "../../programs.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { stepsOf, type Step } from "./life.ts";
import type { Suite } from "../suite.ts";

const holder = program("test/faults/ledger/holder.ts");
/** A commit waits so long here; a daemon's waits for five seconds. */
const WAIT_MS = 50;
/** The write lock is held up to so long here; in a daemon's time up to thirty seconds. */
const HOLD_MAX_MS = 300;
const READERS = 2;
/** Few pages, so that the log is moved all the time. */
const CHECKPOINT_PAGES = 20;
/** Tries for one commit: each waits its time out, and the holder's longest hold is six of them. */
const TRIES_MAX = 1_000;

/** A commit's patience, and a slow machine. */
const SLOWEST_MAX_MS = WAIT_MS + 1_000;

export const otherPrograms: Suite = {
  name: "F7",
  promise: "other programs at the ledger delay a commit by no more than its patience, and lose none",
  rounds: { test: 60, ci: 200, release: 2_000 },
  run,
  judge: all(
    none("lost", "half", "torn", "unsound"),
    atLeast({ rounds: 1, busy: 1, looks: 1 }),
    atMost({ slowestMs: SLOWEST_MAX_MS }),
  ),
};

/** A round is a commit. */
async function run(rounds: number, seed: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "faults-7-"));
  const path = join(folder, "ledger.db");
  const db = connect(path, WAIT_MS);
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const ledger = new SqliteLedger(db, path, { busyMs: WAIT_MS });
  const env = { ...process.env, ...fastStart };
  const kinds = ["writer", ...Array.from({ length: READERS }, () => "reader")];
  const others = kinds.map((kind, n) => new Other(path, kind, seed + n, env));
  const waits = { busy: 0, half: 0, slowestMs: 0 };
  try {
    await Promise.all(others.map((other) => other.ready));
    for (const step of stepsUpTo(rounds)) {
      const before = rowsIn(db);
      for (let tries = 0; !commits(ledger, step, waits); tries += 1) {
        if (rowsIn(db) !== before) waits.half += 1;
        if (tries > TRIES_MAX) throw new Error("the write lock was never free");
        await turn();
      }
      ledger.append(said("between commits", someRun(1)));
      await turn();
    }
  } finally {
    await Promise.all(others.map((other) => other.end()));
    ledger.close();
  }
  try {
    return { rounds, ...waits, ...counted(others), ...foundIn(path, rounds) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const counted = (others: readonly Other[]): Figures => ({
  looks: others.reduce((sum, { looks }) => sum + looks, 0),
  torn: others.reduce((sum, { torn }) => sum + torn, 0),
});

const foundIn = (path: string, commits: number): Figures => ({
  lost: Math.abs(commits - stepsIn(path)),
  unsound: checkLedger(path)
    .slice(0, 3)
    .filter(({ problems }) => problems.length > 0).length,
});

function commits(
  ledger: SqliteLedger,
  { records, facts }: Step,
  waits: { busy: number; slowestMs: number },
): boolean {
  const begun = performance.now();
  try {
    ledger.commit(records, facts);
    return true;
  } catch (error) {
    if (!(error instanceof LedgerError) || error.kind !== "busy") throw error;
    waits.busy += 1;
    return false;
  } finally {
    waits.slowestMs = Math.max(waits.slowestMs, performance.now() - begun);
  }
}

const stepsUpTo = (count: number): readonly Step[] =>
  Array.from({ length: Math.ceil(count / 3) }, (_, n) => stepsOf(n + 1))
    .flat()
    .slice(0, count);

/** Changes with every row that is written. */
const rowsIn = (db: Database.Database): unknown =>
  db
    .prepare(
      "SELECT (SELECT sum(sum) FROM seals) || ' ' || (SELECT count(*) FROM events) || ' ' || count(*) FROM turns",
    )
    .pluck()
    .get();

/** Three steps to a run: it is there, has a turn, has ended. */
function stepsIn(path: string): number {
  const db = connect(path, WAIT_MS);
  try {
    return ["runs", "turns", "runs WHERE ended_at IS NOT NULL"]
      .map((rows) => Number(db.prepare(`SELECT count(*) FROM ${rows}`).pluck().get()))
      .reduce((sum, rows) => sum + rows, 0);
  } finally {
    db.close();
  }
}

/** One of the other programs. */
class Other {
  readonly ready: Promise<void>;
  looks = 0;
  torn = 0;
  readonly #child: ChildProcess;

  constructor(path: string, kind: string, seed: number, env: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, [holder, path, kind, String(HOLD_MAX_MS), String(seed)], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "ready") resolve();
      else if (line === "torn") this.torn += 1;
      else this.looks += 1;
    });
  }

  async end(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}
