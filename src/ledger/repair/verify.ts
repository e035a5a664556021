/** Whether a ledger is what it should be: schema, structure, every row that decides. Reads only, and reads everything. */
import Database from "better-sqlite3";
import {
  applicationId,
  foreign,
  migrations,
  ownerOf,
  schemaOf,
  schemaText,
  tooNew,
  versionOf,
} from "../schema/migrate.ts";
import { brokenSeals, brokenSum, sealedTables } from "../schema/seals.ts";

/** More of the same kind say nothing more. */
const saidMax = 5;

/** By these a ledger is known even when its header is not what it was. */
const ourTables = ["installation", "claims", "runs", "tallies"];

/**
 * What is wrong, in words; nothing when all is well. Takes a second for a gigabyte or two. `db` must know the seals.
 * @throws LedgerError when it is no ledger (`foreign`), or one of a newer version (`newer`): neither is damage.
 */
export function damageOf(db: Database.Database, path: string): readonly string[] {
  const wrong = asking(() => schemaDamage(db, path));
  // Without its schema nothing can be said about the rows.
  if (wrong.length > 0) return wrong;
  const structure = asking(() => structureDamage(db));
  const rows = asking(() => [...brokenSeals(db, deciding(db)), ...brokenSum(db)]);
  return [...new Set([...structure, ...rows])].slice(0, saidMax);
}

/** What is wrong with rows that only tell what happened. */
export const historyDamage = (db: Database.Database): readonly string[] =>
  asking(() => [
    ...sealedTables(db)
      .filter(({ decides }) => !decides)
      .flatMap(({ name }) => saidBy(db, `integrity_check(${name})`)),
    ...brokenSeals(
      db,
      sealedTables(db).filter(({ decides }) => !decides),
    ),
  ]).slice(0, saidMax);

/** The version whose schema this database has; null when it has none of ours. */
export function versionBySchema(db: Database.Database): number | null {
  const found = schemaOf(db);
  const versions = migrations.map((_, index) => index + 1);
  return versions.find((version) => schemaText(version) === found) ?? null;
}

function schemaDamage(db: Database.Database, path: string): readonly string[] {
  const [owner, version, fitting] = [ownerOf(db), versionOf(db), versionBySchema(db)];
  if (owner === applicationId && version === fitting) return [];
  if (fitting !== null)
    return [`its header says schema ${version}, its tables are those of schema ${fitting}`];
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  if (tables.length === 0) return ["it is empty"];
  if (owner !== applicationId && !ourTables.every((name) => tables.includes(name))) throw foreign(path);
  if (owner === applicationId && version > migrations.length) throw tooNew(path, version);
  return [`its tables are not those of schema ${version}`];
}

/** Pages, and for the tables that decide also whether their indexes say what the rows say. */
const structureDamage = (db: Database.Database): readonly string[] => [
  ...saidBy(db, `quick_check(${saidMax})`),
  ...deciding(db).flatMap(({ name }) => saidBy(db, `integrity_check(${name})`)),
];

const deciding = (db: Database.Database) => sealedTables(db).filter(({ decides }) => decides);

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
