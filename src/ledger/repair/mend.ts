/**
 * Makes a whole of the rows that were saved from a damaged ledger. Where a row that bounds spending is gone, the runs
 * say what it must have been at least: an issue that is parked too early can be released, what it burned cannot be
 * taken back.
 */
import type Database from "better-sqlite3";
import { tokenNames } from "../row.ts";
import { reseal } from "../schema/schema.ts";

/**
 * Fills the gaps, drops what refers to nothing, seals everything. `installation` is taken when the ledger's own name
 * could not be read. Returns how many rows were dropped, by table.
 */
export function mend(db: Database.Database, installation: string | null): Readonly<Record<string, number>> {
  nameInstallation(db, installation);
  db.exec(runsOfEvents);
  db.exec(issuesOfRuns);
  db.exec(issuesOfClaims);
  db.exec(talliesOfRuns);
  db.exec(spendingOfRuns);
  const dropped = dropStrays(db);
  reseal(db);
  return dropped;
}

function nameInstallation(db: Database.Database, installation: string | null): void {
  if (db.prepare("SELECT 1 FROM installation").get() !== undefined) return;
  db.prepare("INSERT INTO installation (id) VALUES (coalesce(?, lower(hex(randomblob(8)))))").run(
    installation,
  );
}

/** A run that is known only by what happened in it keeps its number: the next run must not get it again. */
const runsOfEvents = `INSERT OR IGNORE INTO runs
    (id, issue_id, identifier, title, workflow, workflow_hash, kind, started_at, ended_at, outcome)
  SELECT run_id, issue_id, coalesce(max(fact ->> '$.identifier'), issue_id), '(lost)',
    coalesce(max(fact ->> '$.workflow'), ''), '', 'first', min(at), max(at), 'lost'
  FROM events WHERE run_id IS NOT NULL AND issue_id IS NOT NULL AND json_valid(fact) GROUP BY run_id`;

const issuesOfRuns = `INSERT OR IGNORE INTO issues (id, identifier, title, workflow, seen_at)
  SELECT issue_id, identifier, title, workflow, max(started_at) FROM runs GROUP BY issue_id`;

const issuesOfClaims = `INSERT OR IGNORE INTO issues (id, identifier, title, workflow, seen_at)
  SELECT issue_id, detail ->> '$.issue.identifier', detail ->> '$.issue.title', workflow, since FROM claims
  WHERE detail ->> '$.issue.identifier' IS NOT NULL`;

const sums = tokenNames.map((name) => `sum(${name})`).join(", ");

/** What counts since the last release is not in the runs: all of them count. The newest thread is the one to resume. */
const talliesOfRuns = `INSERT OR IGNORE INTO tallies
    (issue_id, runs, failures, idle, extra_runs, extra_tokens, ${tokenNames.join(", ")}, thread_id,
     ${tokenNames.map((name) => `thread_${name}`).join(", ")})
  SELECT o.issue_id, o.runs, 0, 0, 0, 0, ${tokenNames.map((name) => `o.${name}`).join(", ")}, u.thread_id,
    ${tokenNames.map((name) => `coalesce(u.${name}, 0)`).join(", ")}
  FROM (
    SELECT issue_id, count(*) AS runs, ${tokenNames.map((name) => `sum(${name}) AS ${name}`).join(", ")}
    FROM runs WHERE ended_at IS NOT NULL GROUP BY issue_id
  ) o
  LEFT JOIN usage u ON u.thread_id = (
    SELECT thread_id FROM runs r WHERE r.issue_id = o.issue_id AND thread_id IS NOT NULL
    ORDER BY started_at DESC, rowid DESC LIMIT 1)`;

/** A day's runs stand for a day whose row is gone. */
const spendingOfRuns = `INSERT OR IGNORE INTO spending (day, workflow, ${tokenNames.join(", ")})
  SELECT strftime('%Y-%m-%d', started_at / 1000, 'unixepoch') AS day, workflow, ${sums}
  FROM runs GROUP BY day, workflow HAVING sum(total_tokens) > 0`;

/** A row of another table that refers to one that is gone. */
interface Stray {
  readonly table: string;
  readonly rowid: number;
}

function dropStrays(db: Database.Database): Readonly<Record<string, number>> {
  const dropped: Record<string, number> = {};
  const strays = db.prepare<[], Stray>('SELECT DISTINCT "table", rowid FROM pragma_foreign_key_check').all();
  for (const { table, rowid } of strays) {
    db.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(rowid);
    dropped[table] = (dropped[table] ?? 0) + 1;
  }
  return dropped;
}
