import { expect, test } from "vitest";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { Bench, W, madeIssue, madePolicy } from "./made.ts";

const todo = madeIssue("A-1");
const blocked = madeIssue("A-2", { blockedBy: [{ id: "b", identifier: "B-1", state: "Todo" }] });
const last = (bench: Bench) => bench.facts("scan_changed").at(-1);

test("every change of what a scan comes to is told once, by reason", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const third = madeIssue("A-3");
  bench.scan(blocked, todo, third);
  expect(last(bench)).toMatchObject({ listed: 3, running: 1, ready: 1, blocked: 1, gate: null });
  bench.scan(blocked, todo, third);
  bench.scan(blocked, todo, third);
  expect(bench.facts("scan_changed")).toHaveLength(1);
  bench.scan(todo);
  expect(last(bench)).toMatchObject({ listed: 1, running: 1, ready: 0 });
});

test("blocked means seen to be blocked: it is told after the look, not before", () => {
  const bench = new Bench();
  bench.scan(blocked);
  expect(bench.facts("scan_changed")).toHaveLength(1);
  expect(last(bench)).toMatchObject({ listed: 1, blocked: 1, ready: 0 });
});

test("a board of which nothing is taken is told too, with what is open on it", () => {
  const bench = new Bench();
  bench.say({ type: "open_counted", workflow: W, open: { count: 12, isAll: true } });
  expect(bench.facts("scan_changed")).toEqual([]);
  bench.scan();
  expect(last(bench)).toMatchObject({ open: { count: 12, isAll: true }, listed: 0 });
  bench.say({ type: "open_counted", workflow: W, open: { count: 12, isAll: true } });
  expect(bench.facts("scan_changed")).toHaveLength(1);
  bench.say({ type: "open_counted", workflow: W, open: { count: 13, isAll: true } });
  expect(last(bench)).toMatchObject({ open: { count: 13 } });
});

test("what is ready and does not start is told with the gate that keeps it", () => {
  const bench = new Bench();
  bench.order({ type: "pause", scope: EVERYTHING, why: "freeze", until: null });
  bench.scan(todo);
  expect(last(bench)).toMatchObject({ ready: 1, gate: "it is paused: freeze" });
});

test("when the last scan was complete, and why the one after it was not, is known", () => {
  const bench = new Bench();
  bench.scan();
  const at = bench.now;
  bench.pass(30_000);
  bench.say({ type: "poll_failed", workflow: W, kind: "tracker_status", error: "500", retryAt: null });
  expect(bench.state.workflows.get(W)?.scan).toMatchObject({ at, error: "500" });
  bench.scan();
  expect(bench.state.workflows.get(W)?.scan).toMatchObject({ at: bench.now, error: null });
});

test("what is listed is open: a count from before does not say fewer", () => {
  const bench = new Bench();
  bench.say({ type: "open_counted", workflow: W, open: { count: 1, isAll: true } });
  bench.scan(todo, blocked);
  expect(last(bench)).toMatchObject({ open: { count: 2 }, listed: 2 });
});
