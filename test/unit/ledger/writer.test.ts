import { madeHold } from "../scheduler/made.ts";
import { expect, onTestFinished, test } from "vitest";
import { workflowName } from "../../../src/domain/run.ts";
import { connect } from "../../../src/ledger/connect.ts";
import { giveOrder } from "../../../src/ledger/orders.ts";
import { Rows } from "../../../src/ledger/rows.ts";
import { recordWriter } from "../../../src/ledger/writer.ts";
import type { LedgerRecord } from "../../../src/scheduler/effects.ts";
import {
  at,
  ended,
  issue,
  launched,
  opened,
  run,
  running,
  started,
  tallied,
  turnEnded,
  turnStarted,
  used,
} from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

const one = run(1);
const workflow = workflowName("main");
const pause: LedgerRecord = { type: "pause", scope: "*", pause: { why: "p", since: at(1), until: null } };
const hold: LedgerRecord = {
  type: "hold",
  workflow,
  hold: madeHold({ why: "w", until: at(9), refusals: 1, trial: null }),
};
const refusals: LedgerRecord = {
  type: "refusals",
  workflow,
  refusals: new Map([[one.issueId, { at: at(1), state: "Todo", updatedAt: at(0), blockers: ["b"] }]]),
};
const claim: LedgerRecord = { type: "claim", claim: running(one), at: at(1) };

/** Writes records into a ledger in which one order waits, and says which tables that has changed. */
function writer(): (...records: readonly LedgerRecord[]) => readonly string[] {
  const path = ledgerFile();
  const db = connect(path, 100);
  onTestFinished(() => void db.close());
  giveOrder(path, { type: "drain", why: "update" }, at(1));
  const rows = new Rows(db);
  const write = recordWriter(db, rows);
  const names = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all()
    // They follow from the others.
    .filter((name) => name !== "seals");
  const dump = (): readonly string[] =>
    names.map((name) => JSON.stringify(db.prepare(`SELECT * FROM "${name}"`).raw().all()));
  return (...records) => {
    const before = dump();
    rows.transact(() => records.forEach(write));
    const after = dump();
    return names.filter((_, n) => before[n] !== after[n]);
  };
}

/** Each kind of record, what is written before it, and the tables it changes. */
const cases: Readonly<
  Record<LedgerRecord["type"], readonly [LedgerRecord, readonly LedgerRecord[], readonly string[]]>
> = {
  claim: [claim, [], ["claims", "issues"]],
  unclaim: [{ type: "unclaim", issueId: one.issueId }, [claim], ["claims"]],
  tally: [tallied(1), [], ["issues", "tallies"]],
  run_started: [started(one), [], ["issues", "runs"]],
  run_launched: [launched(one), [started(one)], ["runs"]],
  thread_opened: [opened(one), [started(one)], ["runs"]],
  turn_started: [turnStarted(one, 1, "Do it."), [started(one), opened(one)], ["runs", "texts", "turns"]],
  turn_ended: [turnEnded(one, 1), [started(one), opened(one), turnStarted(one, 1)], ["turns"]],
  usage: [used(one, 70), [started(one), opened(one)], ["runs", "spending", "usage"]],
  run_ended: [ended(one), [started(one)], ["runs"]],
  hold: [hold, [], ["holds"]],
  pause: [pause, [], ["pauses"]],
  refusals: [refusals, [], ["refusals"]],
  order_done: [{ type: "order_done", number: 1, answer: "done", at: at(2) }, [], ["orders"]],
};

test.each(Object.values(cases))(
  "$type goes into its own tables, and into no other",
  (record, before, tables) => {
    const write = writer();
    write(...before);
    expect(write(record)).toEqual(tables);
  },
);

test("a run that starts makes its issue known, before any claim says so", () => {
  const db = connect(ledgerFile(), 100);
  onTestFinished(() => void db.close());
  const rows = new Rows(db);
  const write = recordWriter(db, rows);
  rows.transact(() => write(started(one)));
  expect(db.prepare("SELECT id, identifier, title FROM issues").raw().all()).toEqual([
    [one.issueId, one.identifier, issue(1).title],
  ]);
});
