/**
 * Looks at the rows that a start did not look at, some at a time while the daemon works: whether each fits its seal, and for
 * what counts, whether none is missing. A connection of its own sees the account at one moment, however much is written
 * meanwhile. What this cannot see, indexes and pages that nobody reads, `baton ledger check` does.
 */
import type Database from "better-sqlite3";
import { connectUnchecked } from "./connect.ts";
import { brokenText, type SealedTable, sealedTables, sealSql, sumText } from "./schema/schema.ts";

/** `history`: what only tells what happened. `account`: what counts besides, and was not looked at by the start. */
export type LookAt = "history" | "account";

export interface Found {
  /** In words. */
  readonly what: string;
  /** Of what counts: not to be gone on with for longer than this life. */
  readonly decides: boolean;
}

export interface Look {
  /** What is wrong with the next rows; null = all have been looked at. */
  next(rowsMax: number): readonly Found[] | null;
  /** May be called at any time. */
  end(): void;
}

/** What holds: no history, so every start looks at all of it by itself, also after a clean end. */
export const holds = ({ about, decides }: SealedTable): boolean => decides && about?.kept !== "for good";

/** A look over the ledger at this path that has only begun. */
export function looks(path: string, at: LookAt): Look {
  let db: Database.Database | null = connectUnchecked(path);
  let steps: Iterator<readonly Found[], void, number> | null = stepsOver(db, at);
  const end = (): void => {
    db?.close();
    [db, steps] = [null, null];
  };
  return {
    end,
    next(rowsMax) {
      if (steps === null) return null;
      const { done, value } = steps.next(rowsMax);
      if (done !== true && value !== undefined) return value;
      end();
      return null;
    },
  };
}

/** Each step is told how many rows it may read; the number given to the first one is not used. */
function* stepsOver(db: Database.Database, at: LookAt): Generator<readonly Found[], void, number> {
  const tables = sealedTables(db);
  let rowsMax = yield [];
  if (at === "account") {
    db.exec("BEGIN");
    for (const table of tables.filter((of) => of.decides && !holds(of)))
      rowsMax = yield* over(db, table, rowsMax);
    db.exec("COMMIT");
  }
  for (const table of tables.filter((of) => !of.decides)) rowsMax = yield* over(db, table, rowsMax);
}

interface Page {
  readonly rows: number;
  readonly last: number | null;
  readonly sum: number | null;
  readonly broken: number | null;
}

function* over(
  db: Database.Database,
  table: SealedTable,
  first: number,
): Generator<readonly Found[], number, number> {
  const { name, decides } = table;
  const page = db.prepare<[number, number], Page>(`
    SELECT count(*) AS rows, max(id_) AS last, sum(seal) AS sum, sum(broken) AS broken FROM (
      SELECT rowid AS id_, seal, seal IS NOT ${sealSql(table)} AS broken
      FROM ${name} NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?)`);
  let [rowsMax, after, sum] = [first, -1, 0n];
  for (;;) {
    const {
      rows,
      last,
      sum: more,
      broken,
    } = page.get(after, rowsMax) ?? { rows: 0, last: null, sum: 0, broken: 0 };
    sum += BigInt(more ?? 0);
    const isLast = rows < rowsMax || last === null;
    const said = decides && isLast && !isSum(db, name, sum) ? [sumText] : [];
    const unfit = (broken ?? 0) > 0 ? [brokenText(name, broken ?? 0)] : [];
    rowsMax = yield [...unfit, ...said].map((what) => ({ what, decides }));
    if (isLast) return rowsMax;
    after = last;
  }
}

const isSum = (db: Database.Database, table: string, sum: bigint): boolean =>
  db.prepare<[string], bigint>("SELECT sum FROM seals WHERE name = ?").pluck().safeIntegers().get(table) ===
  sum;
