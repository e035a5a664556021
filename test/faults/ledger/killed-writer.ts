/** The process that writes the ledger killed at any moment: what it acknowledged is there, and nothing is half. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { checkLedger } from "../../../src/ledger/repair/check.ts";
import { openLedgerReadOnly } from "../../../src/ledger/sqlite.ts";
import { Random } from "../../sim/random.ts";
import { fastStart, program } from "../../programs.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, none } from "../judge.ts";
import type { Suite } from "../suite.ts";

const committer = program("test/faults/ledger/committer.ts");

/** A writer is killed after at most so many acknowledged commits, and so much later: anywhere in the next ones. */
const ACKNOWLEDGED_MAX = 30;
const DELAY_MAX_MS = 3;
/** Or at any moment of its start: while it takes the lock, makes the ledger, looks at all of it, recovers. */
const START_SHARE = 0.2;
const START_MAX_MS = 20;
/** A ledger lives through so many kills, the first of them at its start; then a new one begins. */
const KILLS_PER_LEDGER = 10;
/** Ledgers at once: a writer waits for the disk, and the machines this runs on have two processors. */
const LANES = 2;

interface Counts {
  rounds: number;
  acknowledged: number;
  /** Killed before the first acknowledgement. */
  unborn: number;
  lost: number;
  doubled: number;
  unsound: number;
  /** Times the traces of a kill were taken for damage, or for a ledger that is gone. */
  alarms: number;
  slowestStartMs: number;
}

export const killedWriter: Suite = {
  name: "F1",
  promise:
    "a writer killed at any moment loses nothing it acknowledged, and its traces are not taken for damage",
  rounds: { test: 40, ci: 1_000, release: 10_000 },
  run,
  judge: (figures) => {
    const { rounds = 0 } = figures;
    return all(
      none("lost", "doubled", "unsound", "alarms"),
      atLeast({ rounds: 1, acknowledged: 3 * rounds, unborn: Math.floor(rounds / 50) }),
    )(figures);
  },
};

async function run(rounds: number, seed: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "faults-1-"));
  const counts: Counts = {
    rounds: 0,
    acknowledged: 0,
    unborn: 0,
    lost: 0,
    doubled: 0,
    unsound: 0,
    alarms: 0,
    slowestStartMs: 0,
  };
  try {
    const env = { ...process.env, ...fastStart };
    const ledgers = Array.from({ length: Math.ceil(rounds / KILLS_PER_LEDGER) }, (_, n) => n);
    const lane = async (): Promise<void> => {
      for (let n = ledgers.shift(); n !== undefined; n = ledgers.shift()) {
        const kills = Math.min(KILLS_PER_LEDGER, rounds - n * KILLS_PER_LEDGER);
        await liveOn(join(folder, `${n}`, "ledger.db"), kills, seed + n, env, counts);
        rmSync(join(folder, `${n}`), { recursive: true });
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return { ...counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills writers on one ledger, one after the other. */
async function liveOn(
  path: string,
  kills: number,
  seed: number,
  env: NodeJS.ProcessEnv,
  counts: Counts,
): Promise<void> {
  const random = new Random(seed);
  const acknowledged: string[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    const moment =
      kill === 1 || random.chance(START_SHARE)
        ? { acknowledged: 0, delayMs: random.next() * START_MAX_MS }
        : { acknowledged: random.between(1, ACKNOWLEDGED_MAX), delayMs: random.next() * DELAY_MAX_MS };
    const life = await lifeOf(path, moment, env);
    acknowledged.push(...life.acknowledged);
    const problems = problemsOf(path, kill < kills ? life.acknowledged : acknowledged, counts);
    counts.rounds += 1;
    counts.acknowledged += life.acknowledged.length;
    counts.unborn += life.acknowledged.length === 0 ? 1 : 0;
    counts.alarms += life.alarms.length;
    counts.slowestStartMs = Math.max(counts.slowestStartMs, life.startMs);
    for (const problem of [...life.alarms, ...problems])
      process.stderr.write(`${killedWriter.name} seed ${seed} kill ${kill}: ${problem}\n`);
  }
}

interface Moment {
  readonly acknowledged: number;
  /** After that many acknowledgements; 0 = after its word that it begins. */
  readonly delayMs: number;
}

interface Life {
  readonly acknowledged: readonly string[];
  readonly alarms: readonly string[];
  /** From its start to its first acknowledgement: lock, open, look at all of it. */
  readonly startMs: number;
}

async function lifeOf(path: string, moment: Moment, env: NodeJS.ProcessEnv): Promise<Life> {
  const begun = performance.now();
  const child = spawn(process.execPath, [committer, path], { env, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const acknowledged: string[] = [];
  const alarms: string[] = [];
  const kill = (): void => void setTimeout(() => child.kill("SIGKILL"), moment.delayMs);
  let startMs = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("alarm")) alarms.push(line);
    else if (line !== "begins") acknowledged.push(line);
    if (acknowledged.length === 1) startMs = performance.now() - begun;
    if (acknowledged.length === moment.acknowledged) kill();
  }
  const [, signal] = await closed;
  if (signal !== "SIGKILL") throw new Error(`the writer of ${path} ended by itself: ${String(signal)}`);
  return { acknowledged, alarms, startMs };
}

/** What is wrong with the ledger, in words; counted. */
function problemsOf(path: string, acknowledged: readonly string[], counts: Counts): readonly string[] {
  if (!existsSync(path)) {
    counts.lost += acknowledged.length;
    return acknowledged.map((line) => `${line} is lost with its ledger`);
  }
  const unsound = checkLedger(path).flatMap(({ problems }) => problems);
  counts.unsound += unsound.length > 0 ? 1 : 0;
  // Nothing more can be asked of it.
  if (unsound.length > 0) return unsound;
  const lost = lostOf(path, acknowledged);
  counts.lost += lost.length;
  const doubled = doubledIn(path);
  counts.doubled += doubled;
  return [...lost.map((line) => `${line} is lost`), ...(doubled > 0 ? [`${doubled} doubled or half`] : [])];
}

function lostOf(path: string, acknowledged: readonly string[]): readonly string[] {
  const ledger = openLedgerReadOnly(path);
  try {
    return acknowledged.filter((line) => {
      const [id = "", step] = line.split(" ");
      const run = ledger.run(id);
      if (run === null) return true;
      return step === "1" ? run.tokens.total === 0 : step === "2" && run.ending === null;
    });
  } finally {
    ledger.close();
  }
}

/** Issues with two open runs, and runs without their first fact, which is of the same commit. */
function doubledIn(path: string): number {
  const db = new Database(path, { readonly: true });
  try {
    return Number(
      db
        .prepare(
          `SELECT (SELECT count(*) - count(DISTINCT issue_id) FROM runs WHERE ended_at IS NULL)
            + (SELECT count(*) FROM runs WHERE id NOT IN (SELECT run_id FROM events WHERE run_id IS NOT NULL))`,
        )
        .pluck()
        .get(),
    );
  } finally {
    db.close();
  }
}
