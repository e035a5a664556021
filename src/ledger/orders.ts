/**
 * Orders from people to the daemon, by way of the ledger: a command line writes a row, the daemon obeys it in the step
 * that marks it as done. So an order given while no daemon runs is obeyed at the next start, and none is obeyed twice.
 */
import type { Instant, Order } from "../domain/domain.ts";
import { BUSY_MS, connect, connectReadOnly } from "./connect.ts";
import { guarded } from "./errors.ts";
import { orderText } from "./order-text.ts";
import { Rows } from "./rows.ts";
import type { OrderColumns } from "./write-control.ts";

/** Writes an order into the ledger at this path and returns its number. @throws LedgerError */
export function giveOrder(path: string, order: Order, at: Instant): number {
  return withConnection(path, (db) => {
    const rows = new Rows(db);
    const orders = rows.table<OrderColumns>("orders", ["id"]);
    let number = 0;
    const give = (): void =>
      orders.append((id) => {
        number = id;
        return { id, at, body: orderText(order), done_at: null, answer: null };
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
