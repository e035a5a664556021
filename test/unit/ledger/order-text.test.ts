import { expect, test } from "vitest";
import type { Order } from "../../../src/domain/order.ts";
import { workflowName } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import { orderText, parseOrder } from "../../../src/ledger/order-text.ts";
import { Unfit } from "../../../src/ledger/parse.ts";

const why = (json: string): string => {
  const found = parseOrder(json);
  return found instanceof Unfit ? found.message : `read as ${found.type}`;
};

test.each<Order>([
  { type: "pause", scope: "*", why: "freeze", until: instant(9_000) },
  { type: "pause", scope: workflowName("main"), why: "freeze", until: null },
  { type: "resume", scope: workflowName("main") },
  { type: "drain", why: "upgrade" },
  { type: "release", issue: "MT-1", addRuns: 2, addTokens: 500 },
  { type: "release", issue: "MT-1", addRuns: 0, addTokens: 0, newThread: true },
  { type: "release_all", reason: null },
  { type: "release_all", reason: "failing" },
])("an order that was written is read as it was: %j", (order) => {
  expect(parseOrder(orderText(order))).toEqual(order);
});

test("an order that cannot be read says where, and is not obeyed in part", () => {
  expect(why("[]")).toMatch(/is no object/);
  expect(why("{")).toBe(" is no JSON");
  expect(why('{"type":"explode"}')).toBe('.type is none of the words known here: "explode"');
  expect(why('{"type":"pause","scope":"*","why":"x"}')).toBe(".until is no whole number: nothing");
  expect(why('{"type":"release","issue":"MT-1","addRuns":-5,"addTokens":0}')).toBe(
    ".addRuns is no whole number: -5",
  );
  expect(why('{"type":"release_all","reason":"hunger"}')).toMatch(/^\.reason is none of the words/);
});
