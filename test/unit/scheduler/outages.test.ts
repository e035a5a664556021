import { expect, test } from "vitest";
import { after } from "../../../src/domain/time.ts";
import { Bench, madeIssue, T0, W } from "./made.ts";

const refused = { kind: "tracker_request", error: "ECONNREFUSED" };
const fail = (bench: Bench, error = refused.error, kind = refused.kind): void =>
  void bench.say({ type: "poll_failed", workflow: W, kind, error, retryAt: null });
const answer = (bench: Bench): void =>
  void bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });

/** Ticks of half a minute. */
const ticks = (bench: Bench, times: number, tick: (n: number) => void): void => {
  for (let n = 0; n < times; n += 1) {
    bench.pass(30_000);
    tick(n);
  }
};

test("a scan that keeps failing is said when it begins and each hour, and its end with how often and since when", () => {
  const bench = new Bench();
  ticks(bench, 150, () => fail(bench));
  expect(bench.facts("poll_failed")).toMatchObject([
    { error: "ECONNREFUSED" },
    { error: "ECONNREFUSED", times: 121, since: after(T0, 30_000) },
  ]);
  expect(bench.facts("poll_failed")[0]).not.toHaveProperty("times");
  expect(bench.facts("tracker_answers")).toEqual([]);
  answer(bench);
  answer(bench);
  expect(bench.facts("tracker_answers")).toMatchObject([
    { asked: "scan", times: 150, since: after(T0, 30_000) },
  ]);
  fail(bench);
  expect(bench.facts("poll_failed")).toHaveLength(3);
});

test("one scan that failed is over without a word", () => {
  const bench = new Bench();
  fail(bench);
  answer(bench);
  expect(bench.facts("tracker_answers")).toEqual([]);
});

test("another failure is said at once, and failures by turns are each said once", () => {
  const bench = new Bench();
  ticks(bench, 20, (n) => fail(bench, n % 2 === 0 ? "HTTP 502" : "HTTP 503"));
  expect(bench.facts("poll_failed")).toMatchObject([{ error: "HTTP 502" }, { error: "HTTP 503" }]);
  fail(bench, "HTTP 401", "tracker_status");
  expect(bench.facts("poll_failed")).toHaveLength(3);
});

test("a server's own words make no other failure of it, and one that never fails alike does not fill the log", () => {
  const bench = new Bench();
  ticks(bench, 50, (n) => fail(bench, `HTTP 500. It said: "request ${n} failed".`));
  expect(bench.facts("poll_failed")).toHaveLength(1);
  ticks(bench, 50, (n) => fail(bench, "x".repeat(n)));
  expect(bench.facts("poll_failed").length).toBeLessThan(12);
});

test("looks that fail with the scan are not said beside it", () => {
  const bench = new Bench();
  ticks(bench, 20, () => {
    bench.say({ type: "refresh_failed", workflow: W, ...refused });
    fail(bench);
    bench.say({ type: "revalidation_failed", workflow: W, ...refused, retryAt: null });
  });
  expect(bench.facts("poll_failed")).toHaveLength(1);
  expect(bench.facts("refresh_failed")).toEqual([]);
});

test("looks that fail while scans are answered are said once, and when they are answered", () => {
  const bench = new Bench();
  const issue = madeIssue("A-1");
  ticks(bench, 20, () => {
    bench.say({ type: "refresh_failed", workflow: W, ...refused });
    answer(bench);
  });
  expect(bench.facts("refresh_failed")).toMatchObject([{ asked: "running", times: 2 }]);
  bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses: [issue] });
  expect(bench.facts("tracker_answers")).toMatchObject([{ asked: "running", times: 20 }]);
});

test("a look that is not asked any more is over with the second scan after it", () => {
  const bench = new Bench();
  ticks(bench, 3, () => {
    bench.say({ type: "revalidation_failed", workflow: W, ...refused, retryAt: null });
    answer(bench);
  });
  expect(bench.facts("refresh_failed")).toMatchObject([{ asked: "contenders" }]);
  bench.pass(30_000);
  answer(bench);
  expect(bench.facts("tracker_answers")).toMatchObject([{ asked: "contenders", times: 3 }]);
});
