import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { after } from "../../../src/domain/time.ts";
import { LEAVE_MS } from "../../../src/scheduler/running.ts";
import {
  Bench,
  OTHER,
  W,
  madeIssue,
  madeLane,
  madeParked,
  madePolicy,
  madeState,
  scanOf,
  summaryOf,
  twoWorkflows,
} from "./made.ts";
import { inTurn, completeTurn, exit } from "./played.ts";

describe("dispatch", () => {
  test("priority, then age, then identifier decide who starts first; no priority comes last", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    const old = madeIssue("A-3", { createdAt: after(bench.now, -1000) });
    const issues = [
      madeIssue("A-1"),
      old,
      madeIssue("A-2", { priority: 4 }),
      madeIssue("A-9", { priority: 1 }),
    ];
    bench.scan(...issues);
    const order: string[] = [];
    for (let [start] = bench.take("start"); start !== undefined; [start] = bench.take("start")) {
      order.push(start.issue.identifier);
      const done = madeIssue(start.issue.identifier, { state: "Done" });
      bench.say({ type: "refreshed", workflow: W, ids: [done.id], statuses: [done] });
      bench.pass(LEAVE_MS);
      exit(bench, done);
      bench.answer(...issues);
    }
    expect(order).toEqual(["A-9", "A-2", "A-3", "A-1"]);
  });

  test("a Todo issue waits for blockers that are not terminal, and for those nobody knows", () => {
    const bench = new Bench();
    const by = (state: string | null) => ({ blockedBy: [{ id: "b", identifier: "B-1", state }] });
    bench.scan(
      madeIssue("A-1", by("In Progress")),
      madeIssue("A-2", by(null)),
      madeIssue("A-3", by("Done")),
      madeIssue("A-4", { ...by("In Progress"), state: "In Progress" }),
    );
    expect(bench.take("start").map((s) => s.issue.identifier)).toEqual(["A-3", "A-4"]);
  });

  test("a blocked candidate does not keep the ones behind it from a slot", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    const blocked = madeIssue("A-1", {
      priority: 1,
      blockedBy: [{ id: "b", identifier: "B-1", state: "Todo" }],
    });
    bench.scan(blocked, madeIssue("A-2"));
    expect(bench.take("start").map((s) => s.issue.identifier)).toEqual(["A-2"]);
  });

  test("an issue without a required label, or not dispatchable, does not start", () => {
    const bench = new Bench();
    bench.scan(madeIssue("A-1", { labels: ["other"] }), madeIssue("A-2", { dispatchable: false }));
    expect(bench.take("start")).toEqual([]);
  });

  test("caps per state hold beside the global one", () => {
    const bench = new Bench(madePolicy({ agentsMax: 4, agentsMaxByState: new Map([["todo", 1]]) }));
    bench.scan(madeIssue("A-1"), madeIssue("A-2"), madeIssue("A-3", { state: "In Progress" }));
    expect(bench.take("start").map((s) => s.issue.identifier)).toEqual(["A-1", "A-3"]);
  });

  test("a freed slot is refilled from the last scan without waiting for the next", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(one, two);
    expect(bench.take("start")).toHaveLength(1);
    exit(bench, one, ["port_exit", "it died"]);
    expect(bench.take("revalidate").flatMap((r) => r.ids)).toEqual([two.id]);
  });

  test("nothing starts on an answer that shows the issue moved since the scan", () => {
    const bench = new Bench();
    bench.say({ type: "polled", workflow: W, candidates: [summaryOf(madeIssue("A-1"))], tookMs: 1 });
    bench.answer(madeIssue("A-1", { state: "Backlog" }));
    expect(bench.take("start")).toEqual([]);
  });

  test("a failed revalidation is not repeated in a circle", () => {
    const bench = new Bench();
    bench.say({ type: "polled", workflow: W, candidates: [summaryOf(madeIssue("A-1"))], tookMs: 1 });
    bench.take("revalidate");
    bench.say({
      type: "revalidation_failed",
      workflow: W,
      kind: "tracker_request",
      error: "no answer",
      retryAt: null,
    });
    bench.say({ type: "woke" });
    expect(bench.take("revalidate")).toEqual([]);
    bench.pass(30_000);
    expect(bench.take("revalidate")).toHaveLength(1);
  });

  test("an issue is not started before its time by an answer to an older question", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    const retitled = { ...issue, title: "Another" };
    bench.say({ type: "revalidated", workflow: W, ids: [issue.id], issues: [retitled] });
    expect(bench.claim(issue)).toMatchObject({ phase: "waiting", attempt: 1, issue: retitled });
    bench.pass(10_000);
    bench.answer(retitled);
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
  });

  test("a broken reload stops new runs and lets those under way go on", () => {
    const bench = new Bench();
    const running = madeIssue("A-1");
    bench.scan(running);
    inTurn(bench, running);
    bench.say({ type: "misconfigured", workflow: W, error: "line 3" });
    bench.scan(running, madeIssue("A-2"));
    expect(bench.claim(madeIssue("A-2"))).toBeUndefined();
    completeTurn(bench, running);
    bench.say({ ...bench.run(running), type: "checked", status: running });
    expect(bench.take("turn").map((t) => t.turn)).toEqual([1, 2]);
  });
});

test("an issue that two workflows list is claimed once, by the first", () => {
  const bench = twoWorkflows(3, 3);
  const issue = madeIssue("A-1");
  scanOf(bench, W, issue);
  scanOf(bench, OTHER, issue);
  expect(bench.take("start").map(({ run }) => run.workflow)).toEqual([W]);
});

test("an issue that the other workflow took after both had listed it is not asked for again and again", () => {
  const bench = twoWorkflows(3, 3);
  const issue = madeIssue("A-1");
  for (const workflow of [W, OTHER]) {
    bench.say({ type: "polled", workflow, candidates: [summaryOf(issue)], tookMs: 1 });
  }
  for (const { workflow, ids } of bench.take("revalidate")) {
    bench.say({ type: "revalidated", workflow, ids, issues: [issue] });
  }
  expect(bench.take("start")).toHaveLength(1);
  expect(bench.take("revalidate")).toEqual([]);
});

test("a park outlasts scans and reloads, and is lifted by a move", () => {
  const bench = new Bench(madePolicy({ limits: { maxFailures: 1 } }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  exit(bench, issue, ["port_exit", "it died"]);
  bench.scan(issue);
  bench.say({ type: "configured", policy: madePolicy({ limits: { maxFailures: 5 } }) });
  bench.scan(issue);
  expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "failing" });
  bench.scan(madeIssue("A-1", { state: "In Progress" }));
  expect(bench.claim(issue)).toBeUndefined();
  bench.scan(madeIssue("A-1", { state: "In Progress" }));
  expect(bench.claim(issue)).toMatchObject({ phase: "running" });
  expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 1, failures: 0 });
});

describe("an issue that was moved to another project", () => {
  const moved = (issue: Issue): Issue => ({
    ...issue,
    dispatchable: false,
    whyNot: "it is in another project",
  });

  test("is let go of while it waits", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    bench.answer(moved(issue));
    expect(bench.claim(issue)).toBeUndefined();
    expect(bench.facts("released")).toMatchObject([{ why: "it is in another project" }]);
  });

  test("is unparked like one that is no longer visible", () => {
    const bench = new Bench(
      madePolicy({ limits: { maxIdleRuns: 1 } }),
      madeState(madeLane(), [madeParked(madeIssue("A-1"))]),
    );
    const issue = madeIssue("A-1");
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    bench.answer(moved(issue));
    expect(bench.claim(issue)).toBeUndefined();
    expect(bench.facts("unparked")).toMatchObject([{ why: "it is in another project" }]);
  });

  test("by its own agent, and parked for that run, is let go of with its counters", () => {
    const bench = new Bench(madePolicy({ limits: { maxFailures: 1 } }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    bench.answer(moved(issue));
    expect(bench.claim(issue)).toBeUndefined();
    expect(bench.facts("unparked")).toEqual([]);
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 1, failures: 1 });
  });
});

test("a park is not lifted because the scan no longer lists the issue", () => {
  const bench = new Bench(madePolicy({ limits: { maxFailures: 1 } }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  exit(bench, issue, ["port_exit", "it died"]);
  bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
  bench.answer(issue);
  expect(bench.claim(issue)).toMatchObject({ phase: "parked" });
});

test("the runs in a state are counted once for a look, however many candidates are in line", () => {
  let counts = 0;
  class Caps extends Map<string, number> {
    override get(key: string): number | undefined {
      counts += 1;
      return super.get(key);
    }
  }
  const bench = new Bench(madePolicy({ agentsMax: 5, agentsMaxByState: new Caps([["todo", 1]]) }));
  const issues = Array.from({ length: 500 }, (_, n) => madeIssue(`A-${n}`));
  bench.scan(...issues);
  expect(bench.take("start")).toHaveLength(1);
  counts = 0;
  bench.say({ type: "woke" });
  expect(counts).toBe(1);
});

describe("an issue in the trash or the archive is as good as finished: its workspace goes", () => {
  const trashed = (issue: Issue): Issue => ({
    ...issue,
    dispatchable: false,
    whyNot: "it is in the trash",
    putAway: true,
  });
  const removed = (bench: Bench) => bench.take("remove").map(({ issueId }) => issueId);

  test("while it waits", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    bench.answer(trashed(issue));
    expect([bench.claim(issue), removed(bench)]).toEqual([undefined, [issue.id]]);
  });

  test.each([{}, { unseen: true as const }])(
    "while it is parked (%j), and nobody looks it up for ever",
    (more) => {
      const issue = madeIssue("A-1");
      const bench = new Bench(madePolicy(), madeState(madeLane(), [madeParked(issue, more)]));
      bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
      bench.answer(trashed(issue));
      expect([bench.claim(issue), removed(bench)]).toEqual([undefined, [issue.id]]);
    },
  );

  test("at the end of its run, unless somebody brought it back meanwhile", () => {
    for (const isBack of [false, true]) {
      const bench = new Bench();
      const issue = madeIssue("A-1");
      bench.scan(issue);
      const seen = (status: Issue) =>
        bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses: [status] });
      seen(trashed(issue));
      if (isBack) seen(issue);
      exit(bench, issue, ["port_exit", "it died"]);
      expect(removed(bench)).toEqual(isBack ? [] : [issue.id]);
    }
  });
});
