import { madeHold } from "../scheduler/made.ts";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { workflowName, runId } from "../../../src/domain/run.ts";
import type { Ledger } from "../../../src/ledger/port.ts";
import { giveOrder } from "../../../src/ledger/orders.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { at } from "../../contract/ledger-records.ts";
import { ledgerFile } from "./folder.ts";

function lived(): { path: string; ledger: Ledger } {
  const path = ledgerFile();
  const ledger = openLedger(path);
  onTestFinished(() => ledger.close());
  return { path, ledger };
}

function rows(path: string, sql: string): unknown[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(sql).raw().all();
  } finally {
    db.close();
  }
}

test("an order is answered once: a second answer changes nothing, and neither does one to no order", () => {
  const { path, ledger } = lived();
  const number = giveOrder(path, { type: "drain", why: "update" }, at(1));
  ledger.commit([{ type: "order_done", number, answer: "done", at: at(2) }], []);
  ledger.commit([{ type: "order_done", number, answer: "again", at: at(3) }], []);
  ledger.commit([{ type: "order_done", number: 99, answer: "whose?", at: at(3) }], []);
  expect(rows(path, "SELECT done_at, answer FROM orders")).toEqual([[at(2), "done"]]);
});

test("a hold and a pause are one row each, as last said, and none when they are over", () => {
  const { path, ledger } = lived();
  const workflow = workflowName("main");
  for (const trial of [null, runId("r7")])
    ledger.commit(
      [{ type: "hold", workflow, hold: madeHold({ why: "w", until: at(9), refusals: 1, trial }) }],
      [],
    );
  ledger.commit([{ type: "pause", scope: "*", pause: { why: "p", since: at(1), until: at(2) } }], []);
  expect(rows(path, "SELECT workflow, why, until, refusals, probe FROM holds")).toEqual([
    ["main", "w", at(9), 1, "r7"],
  ]);
  expect(rows(path, "SELECT scope, why, since, until FROM pauses")).toEqual([["*", "p", at(1), at(2)]]);
  for (let times = 0; times < 2; times += 1)
    ledger.commit(
      [
        { type: "hold", workflow, hold: null },
        { type: "pause", scope: "*", pause: null },
      ],
      [],
    );
  expect([...rows(path, "SELECT 1 FROM holds"), ...rows(path, "SELECT 1 FROM pauses")]).toEqual([]);
});
