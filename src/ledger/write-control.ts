/** Holds, pauses, refusals and orders: what stands in the way of whole workflows, and of their candidates. */
import type { LedgerRecord } from "../scheduler/scheduler.ts";
import type { HoldColumns, PauseColumns } from "./reader-control.ts";
import { type RefusalsColumns, refusalsText } from "./refusals-text.ts";
import type { Rows } from "./rows.ts";

type Of<T extends LedgerRecord["type"]> = Extract<LedgerRecord, { type: T }>;

/** An order as a command line writes it and the daemon answers it. */
export interface OrderColumns {
  readonly id: number;
  readonly at: number;
  readonly body: string;
  readonly done_at: number | null;
  readonly answer: string | null;
}

export interface ControlWriter {
  hold(record: Of<"hold">): void;
  pause(record: Of<"pause">): void;
  refusals(record: Of<"refusals">): void;
  orderDone(record: Of<"order_done">): void;
}

export function controlWriter(rows: Rows): ControlWriter {
  const holds = rows.table<HoldColumns>("holds", ["workflow"]);
  const pauses = rows.table<PauseColumns>("pauses", ["scope"]);
  const refusals = rows.table<RefusalsColumns>("refusals", ["workflow"]);
  const orders = rows.table<OrderColumns>("orders", ["id"]);
  return {
    hold({ workflow, hold }) {
      if (hold === null) holds.drop(workflow);
      else {
        const { cause, kind, overBy, why, remedy, since, until, refusals, trial, under } = hold;
        const account = { cause, kind, over_by: overBy, why, remedy, since };
        holds.put({ workflow, ...account, until, refusals, probe: trial, under });
      }
    },
    pause({ scope, pause }) {
      if (pause === null) pauses.drop(scope);
      else pauses.put({ scope, why: pause.why, since: pause.since, until: pause.until });
    },
    refusals({ workflow, refusals: known }) {
      if (known.size === 0) refusals.drop(workflow);
      else refusals.put({ workflow, detail: refusalsText(known) });
    },
    orderDone({ number, answer, at }) {
      const order = orders.get(number);
      if (order?.done_at === null) orders.put({ ...order, done_at: at, answer });
    },
  };
}
