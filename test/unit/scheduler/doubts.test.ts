import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { MISSING_AGAIN_MS } from "../../../src/scheduler/doubts.ts";
import { LEAVE_MS } from "../../../src/scheduler/running.ts";
import { Bench, madeIssue, madePolicy, summaryOf, W } from "./made.ts";
import { exit, inTurn } from "./played.ts";

const [ONE, TWO] = [madeIssue("A-1", { priority: 1 }), madeIssue("A-2", { priority: 2 })];
const listing = (...issues: readonly Issue[]) =>
  ({ type: "polled", workflow: W, candidates: issues.map(summaryOf), tookMs: 1 }) as const;

describe("an issue that an answer by id leaves out", () => {
  const missing = { type: "refreshed", workflow: W, ids: [ONE.id], statuses: [] } as const;

  test("once keeps its run, and twice in a row loses it", () => {
    const bench = new Bench();
    bench.scan(ONE);
    inTurn(bench, ONE);
    bench.say(missing);
    bench.pass(20_000);
    expect(bench.take("stop")).toEqual([]);
    bench.say(missing);
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "no_longer_eligible" } }]);
  });

  test("keeps its run when it is there between two times, by a list or by id", () => {
    const bench = new Bench();
    bench.scan(ONE);
    inTurn(bench, ONE);
    bench.say(missing);
    bench.say(listing(ONE));
    bench.say(missing);
    bench.say({ ...missing, statuses: [ONE] });
    bench.say(missing);
    bench.pass(20_000);
    expect(bench.take("stop")).toEqual([]);
  });

  test("once keeps its wait and its park, and is asked for again a while later, not in a circle", () => {
    for (const limits of [{}, { maxFailures: 1 }]) {
      const bench = new Bench(madePolicy({ limits }));
      bench.scan(ONE);
      exit(bench, ONE, ["port_exit", "it died"]);
      bench.say(listing());
      bench.answer();
      expect(bench.claim(ONE)).toBeDefined();
      expect(bench.take("revalidate")).toEqual([]);
      bench.pass(MISSING_AGAIN_MS);
      bench.say(listing());
      bench.answer();
      expect(bench.claim(ONE)).toBeUndefined();
    }
  });
});

describe("an issue that cannot be read", () => {
  const spoiled = {
    type: "revalidated",
    workflow: W,
    unreadable: [{ id: ONE.id, error: "no title" }],
  } as const;

  test("keeps no other from starting, and is said once", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    bench.say(listing(ONE, TWO));
    expect(bench.take("revalidate")).toMatchObject([{ ids: [ONE.id, TWO.id], apart: [] }]);
    bench.say({ ...spoiled, ids: [ONE.id, TWO.id], issues: [TWO] });
    expect(bench.claim(TWO)).toMatchObject({ phase: "running" });
    expect(bench.facts("tracker_record_rejected")).toMatchObject([{ identifier: "A-1", error: "no title" }]);
  });

  test("is asked for by itself later, each time twice as late, and is started when it can be read", () => {
    const bench = new Bench();
    bench.say(listing(ONE));
    bench.take("revalidate");
    for (const pauseMs of [60_000, 120_000]) {
      bench.say({ ...spoiled, ids: [ONE.id], issues: [] });
      bench.pass(pauseMs - 1_000);
      bench.say(listing(ONE));
      expect(bench.take("revalidate")).toEqual([]);
      bench.pass(1_000);
      expect(bench.take("revalidate")).toMatchObject([{ ids: [ONE.id], apart: [ONE.id] }]);
    }
    bench.say({ type: "revalidated", workflow: W, ids: [ONE.id], issues: [ONE] });
    expect(bench.claim(ONE)).toMatchObject({ phase: "running" });
    expect(bench.facts("tracker_record_rejected")).toHaveLength(1);
  });

  test("is looked at again at once when somebody has changed it", () => {
    const bench = new Bench();
    bench.say(listing(ONE));
    bench.take("revalidate");
    bench.say({ ...spoiled, ids: [ONE.id], issues: [] });
    bench.say(listing({ ...ONE, updatedAt: bench.now }));
    bench.pass(1);
    bench.say(listing({ ...ONE, updatedAt: bench.now }));
    expect(bench.take("revalidate")).toMatchObject([{ ids: [ONE.id] }]);
  });

  test("keeps its run, and other runs are still seen as they are", () => {
    const bench = new Bench();
    bench.scan(ONE, TWO);
    inTurn(bench, ONE);
    inTurn(bench, TWO);
    bench.take("poll");
    bench.say({
      type: "refreshed",
      workflow: W,
      ids: [ONE.id, TWO.id],
      statuses: [{ ...TWO, state: "Done" }],
      unreadable: [{ id: ONE.id, error: "no title" }],
    });
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toHaveLength(1);
    expect(bench.claim(ONE)).toMatchObject({ phase: "running", step: "turn" });
    bench.say(listing());
    bench.pass(60_000);
    expect(bench.take("poll")).toMatchObject([{ apart: [ONE.id] }]);
  });
});

test("looks that fail again and again are further apart, and let others have theirs", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const many = Array.from({ length: 11 }, (_, n) => madeIssue(`A-${String(n + 10)}`));
  const ids = many.map(({ id }) => id);
  bench.say(listing(...many));
  const failed = { type: "revalidation_failed", workflow: W, error: "HTTP 500", retryAt: null } as const;
  for (const pauseMs of [5_000, 10_000, 20_000]) {
    expect(bench.take("revalidate")).toMatchObject([{ ids: ids.slice(0, 10) }]);
    bench.say({ ...failed, kind: "tracker_status" });
    bench.pass(pauseMs - 1);
    expect(bench.take("revalidate")).toEqual([]);
    bench.pass(1);
  }
  expect(bench.take("revalidate")).toMatchObject([{ ids: ids.slice(10) }]);
});
