import { describe, expect, test } from "vitest";
import { after } from "../../../src/domain/time.ts";
import { LEAVE_MS } from "../../../src/scheduler/running.ts";
import { Bench, OTHER, W, madeIssue, madePolicy, summaryOf, twoWorkflows } from "./made.ts";
import { completeTurn, exit, inTurn } from "./played.ts";

describe("the tracker", () => {
  test("every scan is told which issues are running, so that those it leaves out are asked for", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    bench.pass(30_000);
    expect(bench.take("poll")).toEqual([
      { type: "poll", workflow: W, scope: "s1", apart: [], running: [issue.id] },
    ]);
  });

  test("a running issue that a scan lists again may go on, whatever was seen of it before", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const unlabelled = { ...issue, labels: [] };
    bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses: [unlabelled] });
    expect(bench.claim(issue)).toMatchObject({ phase: "running", leave: { by: after(bench.now, LEAVE_MS) } });
    bench.scan({ ...issue, state: "In Progress" });
    expect(bench.claim(issue)).toMatchObject({ leave: null, issue: { state: "In Progress" } });
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toEqual([]);
  });

  test("what was seen by id while a scan was under way is not undone by its older answer", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.pass(30_000);
    expect(bench.take("poll")).toHaveLength(1);
    completeTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "checked", status: { ...issue, state: "Done" } });
    bench.scan(issue);
    expect(bench.claim(issue)).toMatchObject({ step: "ending", issue: { state: "Done" } });
    bench.pass(30_000);
    bench.scan({ ...issue, state: "Todo" });
    expect(bench.claim(issue)?.issue.state).toBe("Todo");
  });

  test("nor what was seen of an issue when it was begun", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    const [first, late] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(first, late);
    inTurn(bench, first);
    bench.pass(30_000);
    exit(bench, first, ["port_exit", "it died"]);
    const moved = { ...late, state: "In Progress" };
    bench.say({ type: "revalidated", workflow: W, ids: [late.id], issues: [moved] });
    bench.say({ type: "polled", workflow: W, candidates: [summaryOf(late)], tookMs: 1 });
    expect(bench.claim(late)).toMatchObject({ phase: "running", issue: { state: "In Progress" } });
  });

  test("an issue that is seen active by id again may go on after all", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.say({
      type: "refreshed",
      workflow: W,
      ids: [issue.id],
      statuses: [{ ...issue, state: "Backlog" }],
    });
    expect(bench.claim(issue)).toMatchObject({ leave: { by: after(bench.now, LEAVE_MS) } });
    completeTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "checked", status: issue });
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toEqual([]);
  });

  test("a running issue that a scan lists keeps the labels that were seen of it", () => {
    const bench = new Bench();
    const issue = { ...madeIssue("A-1"), labels: ["baton", "backend"] };
    bench.scan(issue);
    bench.scan(issue);
    expect(bench.claim(issue)?.issue.labels).toEqual(["baton", "backend"]);
  });

  test("a running issue that a scan lists as one that nobody may work on has to leave (I7)", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    bench.scan({ ...issue, dispatchable: false });
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toHaveLength(1);
  });

  test("a scan of another workflow says nothing about a run", () => {
    const bench = new Bench();
    bench.say({ type: "configured", policy: madePolicy({ workflow: OTHER, requiredLabels: [] }) });
    const issue = madeIssue("A-1");
    bench.scan(issue);
    for (let times = 0; times < 2; times += 1)
      bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses: [] });
    bench.say({ type: "polled", workflow: OTHER, candidates: [summaryOf(issue)], tookMs: 1 });
    expect(bench.claim(issue)).toMatchObject({ leave: { by: after(bench.now, LEAVE_MS) } });
  });

  test("a scan under way is not repeated, and a rate limit moves the next one", () => {
    const bench = new Bench();
    expect(bench.take("poll")).toHaveLength(1);
    bench.pass(90_000);
    expect(bench.take("poll")).toEqual([]);
    const retryAt = after(bench.now, 500_000);
    bench.say({
      type: "poll_failed",
      workflow: W,
      kind: "tracker_rate_limited",
      error: "slow down",
      retryAt,
    });
    bench.pass(499_000);
    expect(bench.take("poll")).toEqual([]);
    bench.pass(1000);
    expect(bench.take("poll")).toHaveLength(1);
  });

  test("a rate limit that stays used up pauses dispatch, and is said once a day and not with every try", () => {
    const bench = new Bench();
    const hour = 3_600_000;
    const said = (): number => bench.facts("poll_failed").length + bench.facts("refresh_failed").length;
    for (let n = 0; n < 48; n++) {
      const limited = { workflow: W, kind: "tracker_rate_limited", error: "used up" } as const;
      const retryAt = after(bench.now, hour);
      bench.say({ type: "refresh_failed", ...limited });
      bench.say({ type: n % 2 === 0 ? "poll_failed" : "revalidation_failed", ...limited, retryAt });
      bench.pass(hour);
    }
    expect(said()).toBe(2);
    expect(bench.take("sweep").length).toBeLessThanOrEqual(1);
    bench.scan(madeIssue("A-1"));
    expect(bench.take("start")).toHaveLength(1);
    bench.say({
      type: "poll_failed",
      workflow: W,
      kind: "tracker_rate_limited",
      error: "again",
      retryAt: null,
    });
    expect(said()).toBe(3);
  });

  test("a waiting issue that a scan leaves out keeps its time to wait while the tracker shows it by id", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    const before = bench.claim(issue);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    expect(bench.claim(issue)).toEqual(before);
    bench.answer(issue);
    expect(bench.claim(issue)).toEqual(before);
    expect(bench.take("start")).toHaveLength(1);
  });

  test("a waiting issue that is gone, or done, is let go of with the scans that leave it out", () => {
    const bench = new Bench();
    const [gone, done] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(gone, done);
    exit(bench, gone, ["port_exit", "it died"]);
    exit(bench, done, ["port_exit", "it died"]);
    for (let scans = 0; scans < 2; scans += 1) {
      bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
      bench.answer(madeIssue("A-2", { state: "Done" }));
      bench.pass(5_000);
    }
    expect(bench.state.claims.size).toBe(0);
    expect(bench.take("remove")).toMatchObject([{ identifier: "A-2" }]);
  });

  test("more issues left out than one question takes are looked up in turn", () => {
    const bench = new Bench(madePolicy({ agentsMax: 12 }));
    const issues = Array.from({ length: 12 }, (_, n) => madeIssue(`A-${n + 1}`));
    bench.scan(...issues);
    for (const issue of issues) exit(bench, issue, ["port_exit", "it died"]);
    const lookedUp = new Set<string>();
    for (let scans = 0; scans < 2; scans += 1) {
      bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
      const [asked] = bench.take("revalidate");
      expect(asked?.ids).toHaveLength(10);
      for (const id of asked?.ids ?? []) lookedUp.add(id);
      bench.say({ type: "revalidated", workflow: W, ids: asked?.ids ?? [], issues });
    }
    expect(lookedUp.size).toBe(12);
  });

  test("leftovers of finished issues are removed, those of claimed ones are not", () => {
    const bench = new Bench();
    const [busy, done] = [madeIssue("A-1"), madeIssue("A-2", { state: "Done" })];
    bench.scan(busy);
    bench.say({ type: "leftovers_found", workflow: W, issues: [busy, done] });
    expect(bench.take("remove").map((r) => r.identifier)).toEqual(["A-2"]);
  });
});

test("parked issues are not looked at in a circle when the tracker fails", () => {
  const bench = new Bench(madePolicy({ limits: { maxFailures: 1 } }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  exit(bench, issue, ["port_exit", "it died"]);
  const scanned = { type: "polled", workflow: W, candidates: [], tookMs: 1 } as const;
  bench.say(scanned);
  expect(bench.take("revalidate")).toHaveLength(1);
  const retryAt = after(bench.now, 60_000);
  const refused = { kind: "tracker_rate_limited", error: "slow down", retryAt };
  bench.say({ type: "revalidation_failed", workflow: W, ...refused });
  bench.say(scanned);
  expect(bench.take("revalidate")).toEqual([]);
  bench.pass(60_000);
  bench.say(scanned);
  expect(bench.take("revalidate")).toHaveLength(1);
});

test("each workflow polls its own scope", () => {
  const bench = twoWorkflows(3, 3);
  expect(bench.take("poll").map(({ workflow }) => workflow)).toEqual([W, OTHER]);
});

test("a parked issue goes by the name that a scan shows: people give their orders by it", () => {
  const bench = new Bench(madePolicy({ limits: { maxFailures: 1 } }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  exit(bench, issue, ["port_exit", "it died"]);
  bench.scan(issue);
  const candidates = [{ ...summaryOf(issue), identifier: "B-7" }];
  bench.say({ type: "polled", workflow: W, candidates, tookMs: 1 });
  expect(bench.take("revalidate")).toEqual([]);
  bench.say({
    type: "ordered",
    number: 1,
    order: { type: "release", issue: "B-7", addRuns: 0, addTokens: 0 },
  });
  expect(bench.claim(issue)).toBeUndefined();
});

test("a parked issue that no scan lists goes by the name that it is found under when it is looked up", () => {
  const bench = new Bench(madePolicy({ limits: { maxFailures: 1 } }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  exit(bench, issue, ["port_exit", "it died"]);
  bench.scan();
  bench.say({
    type: "revalidated",
    workflow: W,
    ids: [issue.id],
    issues: [{ ...issue, ...bench.claim(issue)?.issue, identifier: "B-7" }],
  });
  expect(bench.claim(issue)).toMatchObject({ phase: "parked", issue: { identifier: "B-7" } });
});
