/** Whether a ledger is what it should be: schema, structure, every row that decides. Reads only. */
import Database from "better-sqlite3";
import { holds } from "../look.ts";
import {
  APPLICATION_ID,
  brokenSeals,
  brokenSums,
  foreign,
  migrations,
  ownerOf,
  schemaOf,
  schemaText,
  sealedTables,
  tooNew,
  versionOf,
} from "../schema/schema.ts";

/** More of the same kind say nothing more. */
const SAID_MAX = 5;

/** By these a ledger is known even when its header is not what it was. */
const ourTables = ["installation", "claims", "runs", "tallies"];

/** How much of a ledger is looked at. */
export type Depth =
  /** What holds now: as much as there is work, and a row for each issue there ever was. */
  | "what holds"
  /** Everything that decides or counts: a second for some hundred thousand runs. */
  | "what decides"
  /** Every page besides: a second for a gigabyte or two. */
  | "every page";

/**
 * What is wrong, in words; nothing when all is well. `db` must know the seals.
 * @throws LedgerError when it is no ledger (`foreign`), or one of a newer version (`newer`): neither is damage.
 */
export function damageOf(
  db: Database.Database,
  path: string,
  depth: Depth = "every page",
): readonly string[] {
  const wrong = asking(() => schemaDamage(db, path));
  // Without its schema nothing can be said about the rows.
  if (wrong.length > 0) return wrong;
  const tables = sealedTables(db).filter((table) => (depth === "what holds" ? holds(table) : table.decides));
  const pages = asking(() => (depth === "every page" ? saidBy(db, `quick_check(${SAID_MAX})`) : []));
  // Whether their indexes say what the rows say, too.
  const structure = asking(() => tables.flatMap(({ name }) => saidBy(db, `integrity_check(${name})`)));
  const rows = asking(() => [...brokenSeals(db, tables), ...brokenSums(db, tables)]);
  return [...new Set([...pages, ...structure, ...rows])].slice(0, SAID_MAX);
}

/** What is wrong with rows that only tell what happened. */
export const historyDamage = (db: Database.Database): readonly string[] =>
  [...historyStructure(db), ...asking(() => brokenSeals(db, telling(db)))].slice(0, SAID_MAX);

/** The same without the rows themselves: whether they can be read, written and found. */
export const historyStructure = (db: Database.Database): readonly string[] =>
  asking(() => telling(db).flatMap(({ name }) => saidBy(db, `integrity_check(${name})`))).slice(0, SAID_MAX);

const telling = (db: Database.Database) => sealedTables(db).filter(({ decides }) => !decides);

/** The version whose schema this database has; null when it has none of ours. */
export function versionBySchema(db: Database.Database): number | null {
  const found = schemaOf(db);
  const versions = migrations.map((_, index) => index + 1);
  // The newest first: it is the one that is there.
  return versions.findLast((version) => schemaText(version) === found) ?? null;
}

function schemaDamage(db: Database.Database, path: string): readonly string[] {
  const [owner, version, fitting] = [ownerOf(db), versionOf(db), versionBySchema(db)];
  if (owner === APPLICATION_ID && version === fitting) return [];
  if (fitting !== null)
    return [`its header says schema ${version}, its tables are those of schema ${fitting}`];
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  if (tables.length === 0) return ["it is empty"];
  if (owner !== APPLICATION_ID && !ourTables.every((name) => tables.includes(name))) throw foreign(path);
  if (owner === APPLICATION_ID && version > migrations.length) throw tooNew(path, version);
  return [`its tables are not those of schema ${version}`];
}

const saidBy = (db: Database.Database, pragma: string): readonly string[] =>
  db
    .prepare<[], string>(`PRAGMA ${pragma}`)
    .pluck()
    .all()
    .filter((line) => line !== "ok")
    .map((line) => line.replace(/^\*\*\* in database main \*\*\*\n/, "").replaceAll("\n", ", "));

/** What SQLite finds out only by stumbling is an answer too. */
function asking(question: () => readonly string[]): readonly string[] {
  try {
    return question();
  } catch (error) {
    if (isDamage(error)) return [error.message];
    throw error;
  }
}

/** SQLITE_ERROR is what a schema that cannot be parsed, or a function that meets nonsense, ends in. */
const isDamage = (error: unknown): error is Error =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB|ERROR$|MISMATCH)/.test(error.code);
