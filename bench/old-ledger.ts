/**
 * Makes a ledger old: what the program itself has written of some runs is written again, under other names, until there
 * is as much as years leave behind. Every row has its seal, as if the program had written it.
 */
import Database from "better-sqlite3";
import { reseal } from "../src/ledger/schema/seals.ts";

/** What was there is copied this often. */
interface Age {
  readonly runs: number;
  readonly events: number;
}

/** Copies are this much older than what they are made of, each than the one before: nothing is so old that it is pruned. */
const APART_MS = 50;

/** @throws Error when the ledger holds too little to be copied evenly */
export function age(ledger: string, { runs, events }: Age): void {
  const db = new Database(ledger);
  try {
    db.pragma("foreign_keys = ON");
    // Nothing here is of value before all of it is done.
    db.pragma("synchronous = OFF");
    const had = { runs: count(db, "runs"), events: count(db, "events") };
    const copies = runs / had.runs - 1;
    const eventsEach = Math.floor((events - had.events) / copies);
    if (!Number.isInteger(copies) || eventsEach > had.events)
      throw new Error(`${had.runs} runs and ${had.events} events cannot be made ${runs} and ${events}`);
    const copiers = tables.map((table) => copier(db, table, had, eventsEach));
    const copy = db.transaction((number: number) => copiers.forEach((once) => once(number)));
    for (let number = 1; number <= copies; number++) copy(number);
    reseal(db, () => true);
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}

/** How many runs and events there are. */
export function ageOf(ledger: string): Age {
  const db = new Database(ledger, { readonly: true });
  try {
    return { runs: count(db, "runs"), events: count(db, "events") };
  } finally {
    db.close();
  }
}

const count = (db: Database.Database, table: string): number =>
  Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());

/** What grows with every ticket, those first that others point at. */
const tables = ["issues", "tallies", "runs", "turns", "usage", "events"] as const;
type Table = (typeof tables)[number];

/** The columns that cannot stay as they are, by what a copy has in their place. */
const other: Readonly<Record<string, string>> = {
  issue_id: "issue_id || '-' || @number",
  run_id: "'r' || (substr(run_id, 2) + @number * @runs)",
  thread_id: "thread_id || '-' || @number",
  identifier: "identifier || '-' || @number",
  seen_at: "seen_at - @ms",
  at: "at - @ms",
  started_at: "started_at - @ms",
  ended_at: "ended_at - @ms",
  updated_at: "updated_at - @ms",
};

const ids: Readonly<Partial<Record<Table, string>>> = {
  issues: "id || '-' || @number",
  runs: "'r' || (substr(id, 2) + @number * @runs)",
  // The next free one.
  events: "NULL",
};

/** Copies are made of the rows that were there at first, which are the first of every table. */
function copier(db: Database.Database, table: Table, had: Age, eventsEach: number): (number: number) => void {
  const columns = db
    .prepare<[], string>(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'seal'`)
    .pluck()
    .all();
  const values = columns.map((column) => (column === "id" && ids[table]) || (other[column] ?? column));
  const rows = table === "events" ? eventsEach : count(db, table);
  const statement = db.prepare(
    `INSERT INTO ${table} (${columns.join(", ")})
     SELECT ${values.join(", ")} FROM (SELECT * FROM ${table} ORDER BY rowid LIMIT ${rows})`,
  );
  const { runs } = had;
  return (number) => {
    const known = { number, runs, ms: number * APART_MS };
    statement.run(
      Object.fromEntries(Object.entries(known).filter(([name]) => values.join().includes(`@${name}`))),
    );
  };
}
