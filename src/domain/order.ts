/** What a person may order of the daemon. How an order travels and is answered: ledger/orders.ts. */
import type { ParkReason } from "./fact.ts";
import type { WorkflowName } from "./run.ts";
import type { Instant } from "./time.ts";

export type PauseScope = WorkflowName | typeof EVERYTHING;

/** The scope of a pause of the whole daemon. No workflow can have this name: it is no file stem. */
export const EVERYTHING = "*";

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
      /** The next run begins a new thread, whatever the last one holds. */
      readonly newThread?: true;
    }
  /** Of everything that is parked, or is for this reason. */
  | { readonly type: "release_all"; readonly reason: ParkReason | null };

/** How the answer to a release begins that found nothing to release. */
export const NOT_HELD = "nothing holds ";

/** How an answer begins when nothing was done, because of what was ordered. */
export const REFUSED = "refused: ";

export interface WaitingOrder {
  readonly id: number;
  readonly order: Order;
}
