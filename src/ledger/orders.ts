/**
 * Orders from people to the daemon, by way of the ledger: a command line writes a row, the daemon obeys it in the step
 * that marks it as done. So an order given while no daemon runs is obeyed at the next start, and none is obeyed twice.
 */
import { z } from "zod";
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

/** Rows are written by other processes, perhaps of another version: what cannot be read is refused, not obeyed. */
const scope = z
  .string()
  .transform((text): PauseScope => (text === EVERYTHING ? EVERYTHING : workflowName(text)));
const orderShape = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("pause"),
    scope,
    why: z.string(),
    until: z.number().transform(instant).nullable(),
  }),
  z.object({ type: z.literal("resume"), scope }),
  z.object({ type: z.literal("drain"), why: z.string() }),
  z.object({ type: z.literal("release"), issue: z.string(), addRuns: z.number(), addTokens: z.number() }),
]);

/** The order of a row's JSON; null when this version cannot read it. */
export function parseOrder(json: string): Order | null {
  try {
    const parsed = orderShape.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

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
