/**
 * Migrations killed. After every statement of every step, and at random moments of its commit: the database is as it
 * was before the step or as it is after it, and going on leads to the same end.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { migrate, schemaOf, versionOf } from "../../../src/ledger/schema/migrate.ts";
import { brokenSeals, brokenSums, knowSeals, sealedTables } from "../../../src/ledger/schema/seals.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { Random } from "../../sim/random.ts";
import { fastStart, program } from "../../programs.ts";
import { dump, type Dump } from "./dump.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, none } from "../judge.ts";
import { live } from "./life.ts";
import { firstMark, steps } from "./steps.ts";
import type { Suite } from "../suite.ts";

const migrator = program("test/faults/ledger/migrator.ts");
const fixtures = join(import.meta.dirname, "../../fixtures/ledger");
/** A migration takes some milliseconds after its word that it begins. */
const DELAY_MAX_MS = 15;
/** So many marks there are; the round after them is killed at random. */
const marks = firstMark(steps.length) - 1;
const RANDOM_EACH = 6;
const lap = marks + RANDOM_EACH;
/** How long ledgers of this version have lived; each lap begins with another one. */
const lives = [40, 1, 200, 7];
/** Migrations at once: most of each is the start of a process. */
const LANES = 2;

/**
 * After a lap on each of the released ledgers every mark was met with each: further laps kill at the same statements
 * again, and only their moments at random are new.
 */
export const killedMigrations: Suite = {
  name: "F21",
  promise: "a migration killed after any of its statements has happened or has not",
  rounds: { test: lap, ci: lives.length * lap, release: 200 * lap },
  run,
  judge: (figures) => {
    const { rounds = 0 } = figures;
    // A lap that was not finished may lack any of the marks.
    const met = marks * Math.floor(rounds / lap);
    return all(none("half", "astray"), atLeast({ rounds: lap, atMarks: met, before: met }))(figures);
  },
};

/** A ledger as it was released, and what was in it. */
interface Released {
  readonly path: string;
  /** Of its schema. */
  readonly version: number;
  readonly before: Dump;
}

interface Counts {
  atMarks: number;
  before: number;
  after: number;
  half: number;
  astray: number;
}

interface Ground {
  readonly folder: string;
  readonly seed: number;
  readonly env: NodeJS.ProcessEnv;
  readonly released: readonly Released[];
  /** The text of the schema of each version, the empty one first. */
  readonly texts: readonly string[];
  readonly counts: Counts;
}

/** Each lap kills at every mark in turn, then at random moments. */
async function run(rounds: number, seed: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "faults-21-"));
  const counts: Counts = { atMarks: 0, before: 0, after: 0, half: 0, astray: 0 };
  try {
    const ground: Ground = {
      folder,
      seed,
      env: { ...process.env, ...fastStart },
      released: [
        ...keptReleases(folder),
        ...lives.map((runs) => releasedIn(join(folder, `released-${runs}`), runs)),
      ],
      texts: schemas(),
      counts,
    };
    let round = 0;
    const lane = async (): Promise<void> => {
      for (let n = round++; n < rounds; n = round++) await kill(n, ground);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return { rounds, ...counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function releasedIn(folder: string, runs: number): Released {
  const path = join(folder, "ledger.db");
  const ledger = openLedger(path);
  live(ledger, runs, () => {});
  ledger.close();
  return releasedAt(path);
}

/** The ledgers that earlier releases have left behind; copies, because even a reader leaves files beside a ledger. */
const keptReleases = (folder: string): readonly Released[] =>
  readdirSync(fixtures).map((release) => {
    const path = join(folder, `${release}.db`);
    copyFileSync(join(fixtures, release, "ledger.db"), path);
    return releasedAt(path);
  });

function releasedAt(path: string): Released {
  const db = new Database(path, { readonly: true });
  const version = versionOf(db);
  db.close();
  return { path, version, before: dump(path) };
}

/** The step that a mark is in. */
const stepOf = (mark: number): number => steps.findLastIndex((_, step) => firstMark(step) <= mark);

async function kill(
  round: number,
  { folder: ground, seed, env, released, texts, counts }: Ground,
): Promise<void> {
  const folder = join(ground, `round-${round}`);
  const random = new Random(seed + round);
  const path = join(folder, "ledger.db");
  const mark = round % lap < marks ? (round % lap) + 1 : 0;
  // A mark of a step is met from the schema before it, or from nothing.
  const step = mark === 0 ? random.between(0, steps.length - 1) : stepOf(mark);
  const fitting = released.filter(({ version }) => version === step);
  const from = fitting[Math.floor(round / lap) % fitting.length] ?? null;
  mkdirSync(folder);
  if (from === null) writeFileSync(path, "");
  else copyFileSync(from.path, path);
  await migrated(path, mark, random.next() * DELAY_MAX_MS, env);
  counts.atMarks += mark > 0 ? 1 : 0;
  const version = versionIfWhole(path, texts, from);
  if (version === null) counts.half += 1;
  else if (version === steps.length) counts.after += 1;
  else counts.before += 1;
  const astray = version !== null && !goesOn(path, texts);
  if (astray) counts.astray += 1;
  if (version === null || astray)
    process.stderr.write(
      `${killedMigrations.name} seed ${seed} round ${round}, mark ${mark}: ${astray ? "astray" : "half"}\n`,
    );
  rmSync(folder, { recursive: true });
}

/** The text of the schema of each version, the empty one first. */
const schemas = (): readonly string[] =>
  [...steps.keys(), steps.length].map((version) => {
    const db = new Database(":memory:");
    migrate(db, ":memory:", steps.slice(0, version));
    const text = schemaOf(db);
    db.close();
    return plain(text);
  });

/** Marks leave their blanks behind. */
const plain = (text: string): string => text.replace(/\s+/g, " ");

async function migrated(path: string, mark: number, delayMs: number, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [migrator, path, String(mark)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  if (mark === 0) child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), delayMs));
  const [code, signal] = await closed;
  if (signal !== "SIGKILL" && (mark !== 0 || code !== 0)) throw new Error(`mark ${mark} was never met`);
}

const deciding = (db: Database.Database) => sealedTables(db).filter(({ decides }) => decides);

/** The version it is at, all of it and nothing else; null when it is half of one. */
function versionIfWhole(path: string, texts: readonly string[], from: Released | null): number | null {
  const db = new Database(path);
  try {
    knowSeals(db);
    const version = versionOf(db);
    if (plain(schemaOf(db)) !== texts[version]) return null;
    if (db.pragma("integrity_check", { simple: true }) !== "ok") return null;
    if (version === 0) return 0;
    if ([...brokenSeals(db, sealedTables(db)), ...brokenSums(db, deciding(db))].length > 0) return null;
    return isWhole(version, dump(path), from) ? version : null;
  } finally {
    db.close();
  }
}

/** Before the first step the rows are untouched; before the last one all of them are there; after it all of its changes are. */
function isWhole(version: number, { rows, state, history }: Dump, from: Released | null): boolean {
  const count = (of: Dump["rows"] | undefined, table: string): number => of?.get(table)?.length ?? 0;
  const before = from?.before;
  if (version < steps.length) {
    if (from === null || before === undefined) return count(rows, "runs") === 0;
    if (version === from.version) return state === before.state && history === before.history;
    return [...before.rows].every(([table, old]) => count(rows, table) === old.length);
  }
  const tallies = rows.get("tallies") ?? [];
  return (
    count(rows, "moods") === count(before?.rows, "claims") &&
    count(rows, "events") === count(before?.rows, "events") &&
    tallies.length === count(before?.rows, "tallies") &&
    tallies.every((row) => row.includes('"mood":"calm"'))
  );
}

function goesOn(path: string, texts: readonly string[]): boolean {
  const db = new Database(path);
  try {
    migrate(db, path, steps);
    return (
      versionOf(db) === steps.length &&
      plain(schemaOf(db)) === texts.at(-1) &&
      brokenSums(db, deciding(db)).length === 0
    );
  } finally {
    db.close();
  }
}
