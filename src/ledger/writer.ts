/** One record of the scheduler into its tables: the switch, and nothing else. */
import type Database from "better-sqlite3";
import type { LedgerRecord } from "../scheduler/scheduler.ts";
import { claimWriter } from "./write-claims.ts";
import { controlWriter } from "./write-control.ts";
import type { Rows } from "./rows.ts";
import { runWriter, type WholeRun } from "./write-runs.ts";
import { usageWriter } from "./write-usage.ts";

/** Prepares the statements once; the function it returns is to be called within `rows.transact`. */
export function recordWriter(db: Database.Database, rows: Rows): (record: LedgerRecord) => void {
  const runRows = rows.table<WholeRun>("runs", ["id"]);
  const claims = claimWriter(rows);
  const runs = runWriter(db, rows, runRows);
  const usage = usageWriter(rows, runRows);
  const control = controlWriter(rows);
  return (record) => {
    switch (record.type) {
      case "claim":
        return claims.claim(record.claim, record.at);
      case "unclaim":
        return claims.unclaim(record.issueId, record.state);
      case "tally":
        return claims.tally(record);
      case "run_started": {
        const { issueId: id, identifier, workflow, startedAt: at } = record.run;
        const { title, state, url } = record.issue;
        claims.seen({ id, identifier, title, workflow, state, url, at });
        return runs.started(record);
      }
      case "run_launched":
        return runs.launched(record);
      case "thread_opened":
        return runs.opened(record);
      case "turn_started":
        return runs.turnStarted(record);
      case "turn_ended":
        return runs.turnEnded(record);
      case "usage":
        return usage(record);
      case "run_ended":
        return runs.ended(record);
      case "hold":
        return control.hold(record);
      case "pause":
        return control.pause(record);
      case "refusals":
        return control.refusals(record);
      case "order_done":
        return control.orderDone(record);
      default:
        // A kind of record without a case would be lost without a word.
        return record satisfies never;
    }
  };
}
