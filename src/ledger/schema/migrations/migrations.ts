/** The face of this folder: every step of the schema, in order. */
import { begin } from "./0001-begin.ts";
import { orders } from "./0002-orders.ts";
import { told } from "./0003-told.ts";
import { refusals } from "./0004-refusals.ts";
import { seen } from "./0005-seen.ts";
import { holds } from "./0006-holds.ts";
import { threadFailures } from "./0007-thread-failures.ts";
import { holdUnder } from "./0008-hold-under.ts";

/**
 * The n-th entry leads from version n to n+1; entries are never changed once released. A column added to a history
 * table (../tables.ts) must be one that may be null: their rows are not sealed anew.
 */
export const migrations: readonly string[] = [
  begin,
  orders,
  told,
  refusals,
  seen,
  holds,
  threadFailures,
  holdUnder,
];
