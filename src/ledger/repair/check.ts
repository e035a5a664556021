/**
 * Everything that can be said about a ledger's soundness: what a start looks at, the history besides, and whether the
 * tables agree with each other. Reads only; a daemon may be writing.
 */
import { LedgerError } from "../ledger-error.ts";
import type Database from "better-sqlite3";
import { connectUnchecked } from "../connect.ts";
import { guarded } from "../errors.ts";
import { rememberedLedger } from "../lock.ts";
import { tokenNames } from "../row.ts";
import { refuseStranger } from "../stranger.ts";
import { damageOf, historyDamage } from "./verify.ts";

export interface Checked {
  /** What was looked at, in a few words. */
  readonly name: string;
  /** Empty = all is well. */
  readonly problems: readonly string[];
}

/** @throws LedgerError when there is no ledger, or it cannot be read for a reason that is no damage. */
export function checkLedger(path: string): readonly Checked[] {
  refuseStranger(path, rememberedLedger(path) !== null);
  try {
    const db = connectUnchecked(path);
    try {
      // One moment for all of it: the daemon goes on writing beside.
      return guarded(path, "checking", () => db.transaction(() => checks(db, path)).deferred());
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerError) || error.kind !== "damaged") throw error;
    return [{ name: "the file", problems: [error.message] }];
  }
}

function checks(db: Database.Database, path: string): readonly Checked[] {
  const sound: Checked = { name: "schema, pages, and the rows that decide", problems: damageOf(db, path) };
  // What the rows say means nothing when they are not what was written.
  if (sound.problems.length > 0) return [sound];
  return [
    sound,
    { name: "history", problems: historyDamage(db) },
    { name: "references between tables", problems: strays(db) },
    ...agreements.map(({ name, sql, say }) => ({ name, problems: found(db, sql).map(say) })),
  ];
}

const PROBLEMS_MAX = 20;

/** Rows that must not be, each with a `what` that names it. */
const found = (db: Database.Database, sql: string): readonly string[] =>
  db.prepare<[], string>(`SELECT what FROM (${sql}) LIMIT ${PROBLEMS_MAX}`).pluck().all();

const strays = (db: Database.Database): readonly string[] =>
  found(
    db,
    `SELECT "table" || ': ' || count(*) || ' of its rows refer to a row of ' || parent || ' that is not there' AS what
     FROM pragma_foreign_key_check GROUP BY "table", parent`,
  );

interface Agreement {
  readonly name: string;
  readonly sql: string;
  readonly say: (what: string) => string;
}

const differs = tokenNames
  .map(
    (name) =>
      `(SELECT coalesce(sum(${name}), 0) FROM spending) < (SELECT coalesce(sum(${name}), 0) FROM usage)`,
  )
  .join(" OR ");

/** What the tables promise each other (docs/LEDGER.md). Runs are the older witness: what they say is believed. */
const agreements: readonly Agreement[] = [
  {
    name: "one open run per issue",
    sql: "SELECT issue_id AS what FROM runs WHERE ended_at IS NULL GROUP BY issue_id HAVING count(*) > 1",
    say: (issue) => `the issue ${issue} has several open runs`,
  },
  {
    name: "a claim for each open run",
    sql: `SELECT id AS what FROM runs r WHERE ended_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM claims c WHERE c.issue_id = r.issue_id AND c.phase = 'running' AND c.detail ->> '$.run.id' = r.id)`,
    say: (run) => `the run ${run} is open, but no claim is held by it`,
  },
  {
    name: "an open run for each running claim",
    sql: `SELECT issue_id AS what FROM claims c WHERE phase = 'running' AND NOT EXISTS (
      SELECT 1 FROM runs r WHERE r.id = c.detail ->> '$.run.id' AND r.ended_at IS NULL)`,
    say: (issue) => `the issue ${issue} is held by a run that is not open`,
  },
  {
    name: "claims are what their columns say",
    sql: `SELECT issue_id AS what FROM claims
      WHERE iif(json_valid(detail), detail ->> '$.phase' IS NOT phase OR detail ->> '$.issue.id' IS NOT issue_id, 1)`,
    say: (issue) => `the claim of the issue ${issue} is not what its columns say`,
  },
  {
    name: "tallies are covered by runs",
    sql: `SELECT issue_id AS what FROM tallies t
      WHERE runs > (SELECT count(*) FROM runs r WHERE r.issue_id = t.issue_id)
        OR total_tokens > (SELECT coalesce(sum(total_tokens), 0) FROM runs r WHERE r.issue_id = t.issue_id)`,
    say: (issue) => `more is counted against the issue ${issue} than its runs have used`,
  },
  {
    name: "no turn outlives its run",
    sql: `SELECT DISTINCT t.run_id AS what FROM turns t JOIN runs r ON r.id = t.run_id
      WHERE t.ended_at IS NULL AND r.ended_at IS NOT NULL`,
    say: (run) => `the run ${run} has ended, one of its turns has not`,
  },
  {
    name: "all that threads have used is booked on a day",
    sql: `SELECT '' AS what WHERE ${differs}`,
    say: () => "the days' tokens are less than those of the threads",
  },
];
