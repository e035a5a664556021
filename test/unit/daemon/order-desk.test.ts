import { LedgerError } from "../../../src/ledger/ledger-error.ts";
import type { WaitingOrder } from "../../../src/domain/order.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import type { News } from "../../../src/scheduler/events.ts";
import { OrderDesk } from "../../../src/daemon/order-desk.ts";

const LOOK_MS = 500;

/** A desk whose looks are counted by hand. */
function openedDesk(orders: () => readonly WaitingOrder[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heard: News[] = [];
  const desk = new OrderDesk({ orders }, (news) => heard.push(news));
  desk.start();
  return { desk, heard, look: () => vi.advanceTimersByTime(LOOK_MS) };
}

const drain = (id: number): WaitingOrder => ({ id, order: { type: "drain", why: `order ${id}` } });

test("an order that waits for the ledger is handed over once, and one that comes after it too", () => {
  const waiting = [drain(3)];
  const { heard, look } = openedDesk(() => waiting);
  look();
  waiting.push(drain(4));
  look();
  look();
  expect(heard.map((news) => news.type === "ordered" && news.number)).toEqual([3, 4]);
});

test("what is there at the first look that sees anything was given to an earlier daemon", () => {
  let full = true;
  const waiting = [drain(1)];
  const { heard, look } = openedDesk(() => {
    if (full) throw new LedgerError("busy", "/ledger.db", "busy", "wait");
    return waiting;
  });
  full = false;
  look();
  waiting.push(drain(2));
  look();
  expect(heard.map((news) => news.type === "ordered" && news.isFromBefore)).toEqual([true, false]);
});

test("a ledger that cannot be asked for a moment is asked again", () => {
  let full = true;
  const { heard, look } = openedDesk(() => {
    if (full) throw new LedgerError("busy", "/ledger.db", "busy", "wait");
    return [drain(1)];
  });
  expect(heard).toEqual([]);
  full = false;
  look();
  expect(heard).toHaveLength(1);
});

test("a desk that is closed looks no more", () => {
  const waiting: WaitingOrder[] = [];
  const { desk, heard, look } = openedDesk(() => waiting);
  desk.stop();
  waiting.push(drain(1));
  look();
  expect(heard).toEqual([]);
});
