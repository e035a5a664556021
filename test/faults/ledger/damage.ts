/**
 * Damaged ledgers. A ledger's files as a crash may have left them are damaged in one of many ways and opened. Either
 * what is found is a moment of the ledger's history, or the damage is said and every row that was taken over is one that
 * had been written.
 */
import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import Database from "better-sqlite3";
import { checkLedger } from "../../../src/ledger/repair/check.ts";
import { sayClean } from "../../../src/ledger/ended.ts";
import { ROWS_AT_ONCE } from "../../../src/ledger/tend.ts";
import { connect } from "../../../src/ledger/connect.ts";
import { openWholeLedger } from "../../../src/ledger/repair/rebuild.ts";
import { sealedTables } from "../../../src/ledger/schema/seals.ts";
import { tables } from "../../../src/ledger/schema/tables.ts";
import { SqliteLedger } from "../../../src/ledger/sqlite.ts";
import { Random } from "../../sim/random.ts";
import { dump, type Dump } from "./dump.ts";
import type { Figures } from "../figures.ts";
import { all, atLeast, none } from "../judge.ts";
import { live } from "./life.ts";
import type { Suite } from "../suite.ts";

const RUNS = 60;
const IMAGES_EVERY = 9;
/** Few pages, so that images differ in how much of the log is in the database. */
const CHECKPOINT_PAGES = 40;

/** A ledger's files at one moment, and its moments so far. */
interface Image {
  readonly folder: string;
  readonly commits: number;
}

interface History {
  readonly images: readonly Image[];
  readonly moments: readonly Dump[];
  /** Every row that ever was, by table. */
  readonly seen: ReadonlyMap<string, ReadonlySet<string>>;
}

export const damagedLedger: Suite = {
  name: "F6",
  promise: "a damaged ledger is opened at a moment of its history, or said to be damaged",
  rounds: { test: 150, ci: 1_000, release: 10_000 },
  run,
  judge: (figures) => {
    const { rounds = 0 } = figures;
    // How many of each there are is left to chance, but all of them are many.
    const many = Math.floor(rounds / 5);
    return all(
      none("silent", "invented", "stuck"),
      atLeast({ rounds: 1, prefix: many, rebuilt: many }),
    )(figures);
  },
};

async function run(rounds: number, seed: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "faults-6-"));
  try {
    const history = makeHistory(folder);
    const random = new Random(seed);
    const verdicts = {
      prefix: 0,
      told: 0,
      late: 0,
      rebuilt: 0,
      refused: 0,
      silent: 0,
      invented: 0,
      stuck: 0,
    };
    let slowestMs = 0;
    for (let round = 0; round < rounds; round += 1) {
      const place = join(folder, `round-${round}`);
      const path = copyOf(pickImage(history, random), place);
      const how = damage(path, history, random);
      // A disk that rots tells nobody: what was closed well is believed to be what it was.
      if (random.chance(0.5)) sayClean(path);
      const begun = performance.now();
      const verdict = verdictOn(path, history);
      slowestMs = Math.max(slowestMs, performance.now() - begun);
      verdicts[verdict] += 1;
      if (verdict === "silent" || verdict === "invented" || verdict === "stuck")
        process.stderr.write(`${damagedLedger.name} seed ${seed} round ${round}: ${how}: ${verdict}\n`);
      rmSync(place, { recursive: true });
      // Lets a test's own timers run.
      if (round % 20 === 0) await turn();
    }
    return { rounds, ...verdicts, slowestMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pickImage({ images }: History, random: Random): Image {
  // Few of them were closed, and a start believes those.
  const image = random.chance(0.3) ? images.at(-1) : random.pick(images);
  if (image === undefined) throw new Error("there is no image");
  return image;
}

type Verdict = "prefix" | "told" | "late" | "rebuilt" | "refused" | "silent" | "invented" | "stuck";

function verdictOn(path: string, history: History): Verdict {
  try {
    const first = lifeOn(path);
    // What a life stumbles over, the next start looks at all of.
    const { setAside, warning, said, stumbled } = first.stumbled ? lifeOn(path) : first;
    if (stumbled) return "stuck";
    // A ledger that is gone without a trace is known to be missing by the name of the last one.
    if (setAside === null && warning !== null) return "told";
    if (setAside !== null && warning !== null && suffixes.some((suffix) => existsSync(setAside + suffix))) {
      return isAuthentic(dump(path), history) && soundAfter(path) ? "rebuilt" : "invented";
    }
    // What a start need not go on from is looked at while the daemon works, and all of it by a check.
    if (said) return "late";
    const found = dump(path);
    const same = history.moments.filter(({ state }) => state === found.state);
    if (same.some((moment) => moment.history === found.history)) return "prefix";
    return same.length > 0 && checkLedger(path).some(({ problems }) => problems.length > 0)
      ? "told"
      : "silent";
  } catch (error) {
    // A header that says "another program" or "newer" is not touched, and nothing starts.
    if (error instanceof LedgerError && (error.kind === "foreign" || error.kind === "newer"))
      return "refused";
    throw error;
  }
}

interface Lived {
  readonly setAside: string | null;
  readonly warning: string | null;
  /** The look at what the start did not look at found something. */
  readonly said: boolean;
  /** It could not go on. */
  readonly stumbled: boolean;
}

/** A daemon's life without a step: it opens, loads, asks for orders, looks through everything, closes. */
function lifeOn(path: string): Lived {
  const { ledger, setAside, warning } = openWholeLedger(path, { installation: "known" });
  let said = false;
  try {
    ledger.load();
    ledger.orders();
    for (let found = ledger.look(ROWS_AT_ONCE); found !== null; found = ledger.look(ROWS_AT_ONCE))
      said ||= found.length > 0;
    return { setAside, warning, said, stumbled: false };
  } catch (error) {
    if (!(error instanceof LedgerError) || error.kind !== "damaged") throw error;
    return { setAside, warning, said, stumbled: true };
  } finally {
    ledger.close();
  }
}

/** A rebuild makes their rows up on purpose, from the runs, where they are missing. */
const madeUp = new Set(["issues", "tallies", "spending"]);

/** A run that is known by its events alone, the name of a ledger that has lost its own, and the word about the rebuild. */
const owned = (table: string, row: string): boolean =>
  (table === "runs" && row.includes('"title":"(lost)"')) ||
  table === "installation" ||
  (table === "events" && row.includes('"type":"warning"'));

/** What was taken over is what was written; what was made up on purpose says so. */
function isAuthentic({ rows }: Dump, { seen }: History): boolean {
  const taken = tables.filter(({ name, sealed }) => sealed && !madeUp.has(name));
  return taken.every(({ name: table }) =>
    (rows.get(table) ?? []).every((row) => seen.get(table)?.has(row) === true || owned(table, row)),
  );
}

const soundAfter = (path: string): boolean =>
  checkLedger(path)
    .slice(0, 3)
    .every(({ problems }) => problems.length === 0);

const suffixes = ["", "-wal", "-shm"] as const;

function makeHistory(folder: string): History {
  const path = join(folder, "base", "ledger.db");
  const db = connect(path, 1_000);
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const ledger = new SqliteLedger(db, path);
  const images: Image[] = [];
  const moments: Dump[] = [dump(path)];
  const seen = new Map<string, Set<string>>();
  live(ledger, RUNS, (commit) => {
    const moment = dump(path);
    moments.push(moment);
    for (const [table, rows] of moment.rows) {
      const known = seen.get(table) ?? new Set();
      for (const row of rows) known.add(row);
      seen.set(table, known);
    }
    if (commit % IMAGES_EVERY === 0)
      images.push(imageOf(path, join(folder, `image-${commit}`), moments.length));
    if (commit % (IMAGES_EVERY * 4) === 0) halfCheckpoint(path, db);
  });
  ledger.close();
  images.push(imageOf(path, join(folder, "image-closed"), moments.length));
  return { images, moments, seen };
}

/** Moves a part of the log only: up to where a reader still looks. */
function halfCheckpoint(path: string, writer: Database.Database): void {
  const reader = new Database(path, { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM runs").get();
  writer.exec("BEGIN IMMEDIATE; UPDATE seals SET sum = sum; COMMIT");
  writer.pragma("wal_checkpoint(PASSIVE)");
  reader.close();
}

function imageOf(path: string, folder: string, commits: number): Image {
  mkdirSync(folder);
  for (const suffix of suffixes) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, join(folder, `ledger.db${suffix}`));
  }
  return { folder, commits };
}

function copyOf(image: Image, folder: string): string {
  mkdirSync(folder);
  for (const suffix of suffixes) {
    const from = join(image.folder, `ledger.db${suffix}`);
    if (existsSync(from)) copyFileSync(from, join(folder, `ledger.db${suffix}`));
  }
  return join(folder, "ledger.db");
}

/** Does one of the ways of damage and says which. */
function damage(path: string, { images }: History, random: Random): string {
  const wal = `${path}-wal`;
  const withWal = existsSync(wal) && statSync(wal).size > 0;
  const ways: readonly (readonly [string, () => void])[] = [
    ["bits of the database flipped", () => flipBits(path, random)],
    ["a page of the database overwritten", () => overwritePage(path, random)],
    ["a page of the database from another time", () => stalePage(path, images, random)],
    [
      "a value changed",
      () => changeRow(path, random, (table, column) => `UPDATE ${table} SET ${column} = ${column} || '0'`),
    ],
    ["a row gone", () => changeRow(path, random, (table) => `DELETE FROM ${table}`)],
    ["the database cut", () => cut(path, random)],
    ["the database empty", () => writeFileSync(path, "")],
    ["the database gone", () => rmSync(path)],
    ["no database at all", () => writeFileSync(path, "This is not a database. ".repeat(400))],
    ["the log cut", () => withWal && cut(wal, random)],
    ["bits of the log flipped", () => withWal && flipBits(wal, random)],
    ["the log gone", () => rmSync(wal, { force: true })],
    ["the index of the log gone", () => rmSync(`${path}-shm`, { force: true })],
    [
      "the log and its index gone",
      () => {
        rmSync(wal, { force: true });
        rmSync(`${path}-shm`, { force: true });
      },
    ],
  ];
  // Bits, pages and rows have many places, the others few.
  const way = random.chance(0.5) ? ways[random.between(0, 4)] : random.pick(ways);
  way?.[1]();
  return way?.[0] ?? "";
}

function flipBits(path: string, random: Random): void {
  const bytes = readFileSync(path);
  for (let n = random.between(1, 3); n > 0; n -= 1) {
    const at = random.between(0, bytes.length - 1);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.between(0, 7)), at);
  }
  writeFileSync(path, bytes);
}

const PAGE_BYTES = 4_096;

function overwritePage(path: string, random: Random): void {
  const page = random.between(0, statSync(path).size / PAGE_BYTES - 1);
  const byte = random.between(0, 255);
  put(path, Buffer.alloc(PAGE_BYTES, byte), page * PAGE_BYTES);
}

function stalePage(path: string, images: readonly Image[], random: Random): void {
  const other = readFileSync(join(random.pick(images)?.folder ?? "", "ledger.db"));
  const pages = Math.min(other.length, statSync(path).size) / PAGE_BYTES;
  const page = random.between(1, pages - 1);
  put(path, other.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES), page * PAGE_BYTES);
}

/** What no look at pages can find: a row that is well-formed, and not what was written. */
function changeRow(path: string, random: Random, sql: (table: string, column: string) => string): void {
  const db = new Database(path);
  try {
    const table = random.pick(sealedTables(db).filter(({ decides }) => decides));
    if (table === undefined) return;
    const rows = Number(db.prepare(`SELECT count(*) FROM ${table.name}`).pluck().get());
    const nth = `(SELECT rowid FROM ${table.name} LIMIT 1 OFFSET ${random.between(0, Math.max(0, rows - 1))})`;
    db.exec(`${sql(table.name, random.pick(table.columns) ?? "seal")} WHERE rowid = ${nth}`);
  } catch {
    // Refused by a constraint: this round nothing is damaged.
  } finally {
    db.close();
  }
}

function cut(path: string, random: Random): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, random.between(1, bytes.length - 1)));
}

function put(path: string, bytes: Buffer, at: number): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}
