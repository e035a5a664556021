import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { after } from "../../../src/domain/time.ts";
import { nextDeadline } from "../../../src/scheduler/decide.ts";
import { LEAVE_MS } from "../../../src/scheduler/running.ts";
import { Bench, W, madeIssue, madePolicy, summaryOf } from "./made.ts";
import { completeTurn, exit, inTurn } from "./played.ts";

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

describe("a reload that changes which issues are meant", () => {
  const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
  const other = madePolicy({ scope: "s2" });
  const asked = { workflow: W, scope: "s1" };
  const scanned = (scope: string, ...issues: readonly Issue[]) =>
    ({ type: "polled", workflow: W, scope, candidates: issues.map(summaryOf), tookMs: 1 }) as const;

  test("starts nothing of the old queue", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    bench.scan(one, two);
    bench.say({ type: "configured", policy: other });
    exit(bench, one, ["port_exit", "it died"]);
    expect(bench.take("revalidate")).toEqual([]);
    expect(bench.take("poll")).toMatchObject([{ scope: "s2" }]);
    expect(bench.take("sweep")).toMatchObject([{ scope: "s1" }, { scope: "s2" }]);
  });

  test("does not wait for the scan under way, and takes nothing from it", () => {
    const bench = new Bench();
    expect(bench.take("poll")).toMatchObject([{ scope: "s1" }]);
    bench.say({ type: "configured", policy: other });
    expect(bench.take("poll")).toMatchObject([{ scope: "s2" }]);
    bench.say(scanned("s1", one));
    bench.say({ ...asked, type: "poll_failed", kind: "tracker_status", error: "HTTP 401", retryAt: null });
    expect(bench.take("revalidate")).toEqual([]);
    expect(bench.facts("poll_failed")).toEqual([]);
    bench.say(scanned("s2", two));
    expect(bench.take("revalidate")).toMatchObject([{ scope: "s2", ids: [two.id] }]);
  });

  test("takes nothing from what was asked by id, and no pause either", () => {
    const bench = new Bench();
    bench.say(scanned("s1", one, two));
    bench.say({ type: "configured", policy: other });
    bench.take("revalidate");
    bench.say({ ...asked, type: "revalidated", ids: [one.id, two.id], issues: [one, two] });
    expect(bench.take("start")).toEqual([]);
    const retryAt = after(bench.now, 3_600_000);
    bench.say({ ...asked, type: "revalidation_failed", kind: "tracker_rate_limited", error: "429", retryAt });
    bench.say(scanned("s2", one));
    bench.answer(one);
    expect(bench.claim(one)).toMatchObject({ phase: "running" });
  });

  test("removes no workspace that the old sweep found", () => {
    const bench = new Bench();
    bench.say({ type: "configured", policy: other });
    bench.say({ ...asked, type: "leftovers_found", issues: [summaryOf(one)] });
    expect(bench.take("remove")).toEqual([]);
  });

  test("ends no run by what was asked before it, between two turns or in one", () => {
    const bench = new Bench();
    bench.scan(one, two);
    inTurn(bench, one);
    inTurn(bench, two);
    completeTurn(bench, one);
    bench.say({ type: "configured", policy: other });
    expect(bench.take("check")).toMatchObject([{ scope: "s1" }]);
    bench.say({ ...bench.run(one), scope: "s1", type: "checked", status: null });
    expect(bench.take("check")).toMatchObject([{ scope: "s2" }]);
    bench.say({ ...bench.run(one), scope: "s1", type: "check_failed", failure: failure("lost", "old key") });
    expect(bench.take("check")).toMatchObject([{ scope: "s2" }]);
    bench.say({ ...asked, type: "refreshed", ids: [two.id], statuses: [] });
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toEqual([]);
  });

  test("waits for no rate limit of the old key", () => {
    const bench = new Bench();
    const retryAt = after(bench.now, 3_600_000);
    bench.say({ ...asked, type: "poll_failed", kind: "tracker_rate_limited", error: "HTTP 429", retryAt });
    bench.say({ type: "configured", policy: other });
    expect(bench.take("poll")).toMatchObject([{ scope: "s1" }, { scope: "s2" }]);
    bench.say(scanned("s2", one));
    bench.answer(one);
    expect(bench.claim(one)).toMatchObject({ phase: "running" });
  });
});

test("a reload that changes only how issues are worked on keeps the queue", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
  bench.scan(one, two);
  bench.say({ type: "configured", policy: madePolicy({ agentsMax: 2 }) });
  expect(bench.take("revalidate")).toMatchObject([{ ids: [two.id] }]);
});
