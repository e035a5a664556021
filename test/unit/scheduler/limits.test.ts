import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { after } from "../../../src/domain/time.ts";
import { Bench, W, madeIssue, madePolicy } from "./made.ts";
import { THREAD, tokens, inTurn, completeTurn, exit } from "./played.ts";

describe("limits", () => {
  test("tokens are counted by high-water mark, over runs of the same thread", () => {
    const bench = new Bench(madePolicy({ turnsMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    for (const total of [100, 100, 60, 250])
      bench.say({ ...bench.run(issue), type: "usage", threadId: THREAD, total: tokens(total) });
    completeTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "checked", status: issue });
    exit(bench, issue);
    bench.pass(1000);
    bench.answer(issue);
    inTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "usage", threadId: THREAD, total: tokens(250) });
    bench.say({ ...bench.run(issue), type: "usage", threadId: THREAD, total: tokens(300) });
    expect(bench.claim(issue)).toMatchObject({ tokens: { total: 50 } });
    expect(bench.state.tallies.get(issue.id)?.tokens.total).toBe(250);
  });

  test("an issue that has used up its tokens is interrupted and parked", () => {
    const bench = new Bench(madePolicy({ tokensMax: 1000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "usage", threadId: THREAD, total: tokens(1000) });
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "limit_reached" } }]);
    exit(bench, issue);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "tokens_exhausted" });
  });

  test("a park outlasts scans and reloads, and is lifted by a move", () => {
    const bench = new Bench(madePolicy({ failuresMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    bench.scan(issue);
    bench.say({ type: "configured", policy: madePolicy({ failuresMax: 5 }) });
    bench.scan(issue);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "failing" });
    bench.scan(madeIssue("A-1", { state: "In Progress" }));
    expect(bench.claim(issue)).toBeUndefined();
    bench.scan(madeIssue("A-1", { state: "In Progress" }));
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 1, failures: 0 });
  });

  test("a park is not lifted because the scan no longer lists the issue", () => {
    const bench = new Bench(madePolicy({ failuresMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    bench.answer(issue);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked" });
  });

  test("parked issues are not looked at in a circle when the tracker fails", () => {
    const bench = new Bench(madePolicy({ failuresMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    const scanned = { type: "polled", workflow: W, candidates: [], tookMs: 1 } as const;
    bench.say(scanned);
    expect(bench.take("revalidate")).toHaveLength(1);
    const retryAt = after(bench.now, 60_000);
    const refused = { kind: "rate_limited", error: "slow down", retryAt };
    bench.say({ type: "revalidation_failed", workflow: W, ...refused });
    bench.say(scanned);
    expect(bench.take("revalidate")).toEqual([]);
    bench.pass(60_000);
    bench.say(scanned);
    expect(bench.take("revalidate")).toHaveLength(1);
  });

  test("a provider that takes no work holds dispatch and costs the issue no attempt", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    const resetsAt = bench.now + 3_600_000;
    bench.scan(issue);
    bench.say({
      ...bench.run(issue),
      type: "exited",
      failure: failure("usage_limit", "used up", { resetsAt }),
      changed: null,
    });
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 0, failures: 0 });
    bench.take("start");
    bench.scan(issue, madeIssue("A-2"));
    bench.pass(3_599_000);
    bench.answer(issue, madeIssue("A-2"));
    expect(bench.take("start")).toEqual([]);
    bench.pass(1000);
    bench.answer(issue, madeIssue("A-2"));
    // One run finds out whether the provider works again; its first completed turn lets the others start.
    expect(bench.take("start").map((s) => s.issue.identifier)).toEqual(["A-1"]);
    inTurn(bench, issue);
    completeTurn(bench, issue);
    bench.answer(issue, madeIssue("A-2"));
    expect(bench.take("start").map((s) => s.issue.identifier)).toEqual(["A-2"]);
  });
});
