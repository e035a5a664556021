import { describe, expect, test } from "vitest";
import { after } from "../../../src/domain/time.ts";
import { nextDeadline } from "../../../src/scheduler/decide.ts";
import { Bench, W, madeIssue, madePolicy } from "./made.ts";
import { inTurn, exit } from "./played.ts";

describe("stopping", () => {
  test("interrupts what runs, starts nothing, and ends when the last run is gone", () => {
    const bench = new Bench();
    const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(one);
    inTurn(bench, one);
    bench.say({ type: "stop_requested", why: "SIGTERM", force: false });
    bench.scan(one, two);
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "shutdown" } }]);
    expect(bench.take("exit")).toEqual([]);
    exit(bench, one);
    expect(bench.take("exit")).toEqual([{ type: "exit", clean: true }]);
    expect(bench.claim(one)).toMatchObject({ phase: "waiting", kind: "continuation" });
    expect(bench.state.tallies.get(one.id)?.runs).toBe(0);
  });

  test("does not wait longer than the grace, and not at all when asked twice", () => {
    const bench = new Bench(madePolicy({ graceMs: 5000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    bench.say({ type: "stop_requested", why: "SIGTERM", force: false });
    bench.pass(5000);
    expect(bench.take("exit")).toEqual([{ type: "exit", clean: false }]);
    const hurried = new Bench();
    hurried.scan(issue);
    hurried.say({ type: "stop_requested", why: "SIGTERM", force: false });
    hurried.say({ type: "stop_requested", why: "SIGTERM", force: true });
    expect(hurried.take("exit")).toEqual([{ type: "exit", clean: false }]);
  });
});

test("the alarm is set for the earliest of all deadlines, and while stopping for the end of patience", () => {
  const bench = new Bench(madePolicy({ silenceMaxMs: 20_000, graceMs: 5_000 }));
  const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
  const rings = () => (nextDeadline(bench.state, bench.now) ?? bench.now) - bench.now;
  bench.scan(one, two);
  expect(rings()).toBe(30_000);
  inTurn(bench, one);
  expect(rings()).toBe(20_000);
  exit(bench, two, ["port_exit", "it died"]);
  expect(rings()).toBe(10_000);
  bench.order({ type: "pause", scope: W, why: "freeze", until: after(bench.now, 9_000) });
  expect(rings()).toBe(9_000);
  bench.say({ type: "stop_requested", why: "SIGTERM", force: false });
  expect(rings()).toBe(5_000);
});

test("the alarm is never asked to ring for what is past", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
  bench.scan(one, two);
  exit(bench, one, ["port_exit", "it died"]);
  bench.answer(one, two);
  bench.pass(15_000);
  expect(bench.claim(one)).toMatchObject({ phase: "waiting" });
  expect(nextDeadline(bench.state, bench.now)).toBeGreaterThan(bench.now);
});
