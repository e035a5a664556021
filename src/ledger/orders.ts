/**
 * Orders from people to the daemon, by way of the ledger: a command line writes a row, the daemon obeys it in the step
 * that marks it as done. So an order given while no daemon runs is obeyed at the next start, and none is obeyed twice.
 */
import { workflowName } from "../domain/run.ts";
import { instant, type Instant } from "../domain/time.ts";
import { EVERYTHING, type PauseScope } from "../scheduler/state.ts";
import { connect, busyMs } from "./connect.ts";
import { guarded } from "./errors.ts";

/** What can be ordered. */
export type Order =
  | {
      readonly type: "pause";
      readonly scope: PauseScope;
      readonly why: string;
      readonly until: Instant | null;
    }
  | { readonly type: "resume"; readonly scope: PauseScope }
  | { readonly type: "drain"; readonly why: string }
  | {
      readonly type: "release";
      readonly issue: string;
      readonly addRuns: number;
      readonly addTokens: number;
    };

export interface WaitingOrder {
  readonly id: number;
  readonly order: Order;
}

/**
 * The order of a row's JSON; null when this version cannot read it. Rows are written by other processes, perhaps of
 * another version: what cannot be read is refused, not obeyed. By hand, because every read command loads this file, and
 * a schema library alone would double the time they take.
 */
export function parseOrder(json: string): Order | null {
  try {
    const body: unknown = JSON.parse(json);
    return typeof body === "object" && body !== null ? orderOf(body as Fields) : null;
  } catch {
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function orderOf({ type, scope, why, until, issue, addRuns, addTokens }: Fields): Order | null {
  switch (type) {
    case "pause":
      if (!isText(scope) || !isText(why) || !(until === null || isCount(until))) return null;
      return { type, scope: scopeOf(scope), why, until: until === null ? null : instant(until) };
    case "resume":
      return isText(scope) ? { type, scope: scopeOf(scope) } : null;
    case "drain":
      return isText(why) ? { type, why } : null;
    case "release":
      if (!isText(issue) || !isCount(addRuns) || !isCount(addTokens)) return null;
      return { type, issue, addRuns, addTokens };
    default:
      return null;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const scopeOf = (text: string): PauseScope => (text === EVERYTHING ? EVERYTHING : workflowName(text));

/** Writes an order into the ledger at this path and returns its number. @throws LedgerError */
export function giveOrder(path: string, order: Order, at: Instant): number {
  return withConnection(path, (db) =>
    Number(
      db.prepare("INSERT INTO commands (at, body) VALUES (?, ?)").run(at, JSON.stringify(order))
        .lastInsertRowid,
    ),
  );
}

/** What the daemon answered to an order; null = it has not obeyed yet. @throws LedgerError */
export function answerTo(path: string, id: number): string | null {
  return withConnection(path, (db) => {
    const row = db
      .prepare<[number], string | null>("SELECT answer FROM commands WHERE id = ?")
      .pluck()
      .get(id);
    return row ?? null;
  });
}

function withConnection<T>(path: string, work: (db: ReturnType<typeof connect>) => T): T {
  const db = connect(path, busyMs);
  try {
    return guarded(path, "writing to", () => work(db));
  } finally {
    db.close();
  }
}
