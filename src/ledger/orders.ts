/**
 * Orders from people to the daemon, by way of the ledger: a command line writes a row, the daemon obeys it in the step
 * that marks it as done. So an order given while no daemon runs is obeyed at the next start, and none is obeyed twice.
 */
import {
  EVERYTHING,
  PARK_REASONS,
  instant,
  type Instant,
  type Order,
  type PauseScope,
  workflowName,
} from "../domain/domain.ts";
import { BUSY_MS, connect, connectReadOnly } from "./connect.ts";
import { guarded } from "./errors.ts";
import { fieldsOf } from "./parse.ts";
import { Rows } from "./rows.ts";
import type { OrderColumns } from "./write-control.ts";

/**
 * The order of a row's JSON; null when this version cannot read it. Rows are written by other processes, perhaps of
 * another version: what cannot be read is refused, not obeyed.
 */
export function parseOrder(json: string): Order | null {
  try {
    return orderOf(fieldsOf(JSON.parse(json)));
  } catch {
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function orderOf(order: Fields): Order | null {
  const { type, scope, why, until, issue, addRuns, addTokens, newThread, reason } = order;
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
      return { type, issue, addRuns, addTokens, ...(newThread === true && { newThread }) };
    case "release_all": {
      const found = PARK_REASONS.find((one) => one === reason) ?? null;
      return reason === null || found !== null ? { type, reason: found } : null;
    }
    default:
      return null;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const scopeOf = (text: string): PauseScope => (text === EVERYTHING ? EVERYTHING : workflowName(text));

/** Writes an order into the ledger at this path and returns its number. @throws LedgerError */
export function giveOrder(path: string, order: Order, at: Instant): number {
  return withConnection(path, (db) => {
    const rows = new Rows(db);
    const orders = rows.table<OrderColumns>("orders", ["id"]);
    let number = 0;
    const give = (): void =>
      orders.append((id) => {
        number = id;
        return { id, at, body: JSON.stringify(order), done_at: null, answer: null };
      });
    rows.transact(give);
    return number;
  });
}

/** What the daemon answered to an order; null = it has not obeyed yet. @throws LedgerError */
export function answerTo(path: string, id: number): string | null {
  const db = connectReadOnly(path);
  return closing(db, path, "reading", () => {
    const row = db.prepare<[number], string | null>("SELECT answer FROM orders WHERE id = ?").pluck().get(id);
    return row ?? null;
  });
}

function withConnection<T>(path: string, work: (db: ReturnType<typeof connect>) => T): T {
  const db = connect(path, BUSY_MS);
  return closing(db, path, "writing to", () => work(db));
}

function closing<T>(db: ReturnType<typeof connect>, path: string, doing: string, work: () => T): T {
  try {
    return guarded(path, doing, work);
  } finally {
    db.close();
  }
}
