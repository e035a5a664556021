/** What a daemon's ledger says afterwards: a second witness beside the board, which heard the agents. */
import Database from "better-sqlite3";

export interface Account {
  readonly completedRuns: number;
  readonly otherRuns: number;
  readonly threads: number;
  readonly turns: number;
  /** When each ticket's agent process existed, in milliseconds since the epoch. */
  readonly launchedAt: ReadonlyMap<string, number>;
}

export function accountOf(ledger: string): Account {
  const db = new Database(ledger, { readonly: true });
  const count = (sql: string): number => Number(db.prepare(sql).pluck().get());
  try {
    return {
      completedRuns: count("SELECT count(*) FROM runs WHERE outcome = 'completed'"),
      otherRuns: count("SELECT count(*) FROM runs WHERE outcome IS NOT 'completed'"),
      threads: count("SELECT count(DISTINCT thread_id) FROM turns"),
      turns: count("SELECT count(*) FROM turns WHERE status = 'completed'"),
      launchedAt: new Map(
        db
          .prepare<[], { fact: string }>("SELECT fact FROM events WHERE type = 'agent_launched'")
          .all()
          .map(launch),
      ),
    };
  } finally {
    db.close();
  }
}

function launch({ fact }: { readonly fact: string }): [string, number] {
  const { identifier, at } = JSON.parse(fact) as { readonly identifier: string; readonly at: number };
  return [identifier, at];
}
