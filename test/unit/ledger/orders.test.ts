import type { Order } from "../../../src/domain/order.ts";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { workflowName } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import { answerTo, giveOrder } from "../../../src/ledger/orders.ts";
import { openLedger } from "../../../src/ledger/sqlite.ts";
import { ledgerFile } from "./folder.ts";

const at = instant(1_000);

const orders: readonly Order[] = [
  { type: "pause", scope: "*", why: "freeze", until: instant(9_000) },
  { type: "resume", scope: workflowName("main") },
  { type: "drain", why: "upgrade" },
  { type: "release", issue: "MT-1", addRuns: 2, addTokens: 500 },
  { type: "release_all", reason: null },
  { type: "release_all", reason: "failing" },
  { type: "release", issue: "MT-1", addRuns: 0, addTokens: 0, newThread: true },
];

test("an order given by another process arrives whole, is answered once, and does not arrive again", () => {
  const path = ledgerFile();
  const ledger = openLedger(path);
  const ids = orders.map((order) => giveOrder(path, order, at));
  expect(ledger.orders()).toEqual(orders.map((order, index) => ({ id: ids[index], order })));
  ledger.commit(
    ids.map((number) => ({ type: "order_done", number, answer: "done", at })),
    [],
  );
  expect(ledger.orders()).toEqual([]);
  expect(ids.map((id) => answerTo(path, id))).toEqual(ids.map(() => "done"));
  ledger.close();
});

test("an order waits for a daemon that is not running yet", () => {
  const path = ledgerFile();
  openLedger(path).close();
  const id = giveOrder(path, { type: "drain", why: "later" }, at);
  const ledger = openLedger(path);
  expect(ledger.orders()).toMatchObject([{ id }]);
  ledger.close();
});

test("an order that cannot be read is refused, told so, and holds up no other", () => {
  const path = ledgerFile();
  const ledger = openLedger(path);
  const raw = new Database(path);
  const id = Number(
    raw.prepare('INSERT INTO orders (at, body) VALUES (1, \'{"type":"explode"}\')').run().lastInsertRowid,
  );
  raw.close();
  const good = giveOrder(path, { type: "drain", why: "x" }, at);
  expect(ledger.orders().map((order) => order.id)).toEqual([good]);
  expect(answerTo(path, id)).toBe(
    'refused: this version of Baton cannot read the order: order.type is none of the words known here: "explode"',
  );
  ledger.close();
});
