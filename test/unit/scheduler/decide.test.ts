import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { noTokens, threadId, turnId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { nextDeadline } from "../../../src/scheduler/decide.ts";
import { LEAVE_MS } from "../../../src/scheduler/running.ts";
import { Bench, W, madeIssue, madePolicy, summaryOf } from "./made.ts";
import type { Issue } from "../../../src/domain/issue.ts";

const THREAD = threadId("t-1");
const tokens = (total: number) => ({ ...noTokens, input: total, total });

/** Brings a claimed issue into its first turn. */
function inTurn(bench: Bench, issue: Issue): void {
  bench.say({ ...bench.run(issue), type: "launched", pid: 1, startTicks: 1, bootId: null, workspace: "/w" });
  bench.say({ ...bench.run(issue), type: "opened", threadId: THREAD, resumed: false, why: null });
  bench.say({ ...bench.run(issue), type: "turn_started", turnId: turnId("u-1") });
}

const completeTurn = (bench: Bench, issue: Issue): void =>
  void bench.say({
    ...bench.run(issue),
    type: "turn_ended",
    turnId: turnId("u-1"),
    status: "completed",
    failure: null,
    message: null,
  });

const exit = (bench: Bench, issue: Issue, why: Parameters<typeof failure> | null = null): void =>
  void bench.say({
    ...bench.run(issue),
    type: "exited",
    failure: why === null ? null : failure(...why),
    changed: null,
  });

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
      kind: "linear_api_request",
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

describe("a run", () => {
  test("goes on with guidance on the same thread while the issue is active, up to the turn limit", () => {
    const bench = new Bench(madePolicy({ turnsMax: 2 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    completeTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "checked", status: issue });
    expect(bench.take("turn").map((t) => t.text)).toEqual(["prompt", "guidance"]);
    bench.say({ ...bench.run(issue), type: "turn_started", turnId: turnId("u-2") });
    completeTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "checked", status: issue });
    expect(bench.take("stop")).toEqual([{ type: "stop", runId: "r1", why: null, survey: true }]);
  });

  test("that ended well with the issue still active is continued after a second, on its thread", () => {
    const bench = new Bench(madePolicy({ turnsMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    completeTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "checked", status: issue });
    exit(bench, issue);
    expect(bench.claim(issue)).toMatchObject({
      phase: "waiting",
      attempt: 1,
      kind: "continuation",
      retryAt: after(bench.now, 1000),
    });
    bench.take("start");
    bench.pass(1000);
    bench.answer(issue);
    expect(bench.take("start")).toMatchObject([{ run: { attempt: 1, id: "r2" }, resume: THREAD }]);
  });

  test("that failed is retried after 10 s, then 20 s, up to the cap", () => {
    const bench = new Bench(madePolicy({ backoffMaxMs: 35_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const waits: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      exit(bench, issue, ["port_exit", "it died"]);
      const claim = bench.claim(issue);
      if (claim?.phase !== "waiting") throw new Error("not waiting");
      expect(claim.attempt).toBe(n + 1);
      waits.push(claim.retryAt - bench.now);
      bench.pass(claim.retryAt - bench.now);
      bench.answer(issue);
    }
    expect(waits).toEqual([10_000, 20_000, 35_000, 35_000]);
  });

  test("whose turn failed ends as failed with that reason, and the first reason stays", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    const why = failure("context_window_exceeded", "too long");
    bench.say({
      ...bench.run(issue),
      type: "turn_ended",
      turnId: turnId("u-1"),
      status: "failed",
      failure: why,
      message: null,
    });
    const ended = bench.say({
      ...bench.run(issue),
      type: "exited",
      failure: failure("port_exit", "later"),
      changed: null,
    });
    expect(ended).toContainEqual(
      expect.objectContaining({
        record: expect.objectContaining({ type: "run_ended", ending: { outcome: "failed", failure: why } }),
      }),
    );
  });

  test("of an issue that became terminal gets a grace, is stopped, and its workspace removed", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses: [{ ...issue, state: "Done" }] });
    expect(bench.take("stop")).toEqual([]);
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toHaveLength(1);
    exit(bench, issue);
    expect(bench.take("remove")).toHaveLength(1);
    expect(bench.claim(issue)).toBeUndefined();
  });

  test("of an issue that lost its label, or vanished, is stopped and its workspace kept", () => {
    for (const statuses of [[{ ...madeIssue("A-1"), labels: [] }], []]) {
      const bench = new Bench();
      const issue = madeIssue("A-1");
      bench.scan(issue);
      inTurn(bench, issue);
      bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses });
      bench.pass(LEAVE_MS);
      expect(bench.take("stop")).toHaveLength(1);
      exit(bench, issue);
      expect(bench.take("remove")).toEqual([]);
      expect(bench.claim(issue)).toBeUndefined();
    }
  });

  test("is not stopped because a refresh failed", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.say({ type: "refresh_failed", workflow: W, kind: "linear_api_request", error: "no answer" });
    bench.pass(120_000);
    expect(bench.take("stop")).toEqual([]);
  });

  test("is stalled by silence, and not by a command that still runs", () => {
    const bench = new Bench(madePolicy({ silenceMaxMs: 60_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    const begun = bench.now;
    bench.pass(60_000);
    expect(bench.take("probe")).toHaveLength(1);
    bench.say({ ...bench.run(issue), type: "pulse", signAt: begun, openItems: 1 });
    expect(bench.take("stop")).toEqual([]);
    bench.pass(60_000);
    expect(bench.take("probe")).toHaveLength(1);
    bench.say({ ...bench.run(issue), type: "pulse", signAt: begun, openItems: 0 });
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "stalled" } }]);
  });

  test("ends when it has lasted as long as a run may", () => {
    const bench = new Bench(madePolicy({ runMaxMs: 100_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.pass(100_000);
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "run_timeout" } }]);
  });

  test("is over once: late news of it changes nothing", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const run = bench.run(issue);
    exit(bench, issue, ["port_exit", "it died"]);
    const before = bench.state;
    expect(bench.say({ ...run, type: "usage", threadId: THREAD, total: tokens(5) })).toEqual([]);
    expect(bench.say({ ...run, type: "exited", failure: null, changed: null })).toEqual([]);
    expect(bench.state).toBe(before);
  });
});

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

describe("the tracker", () => {
  test("a running issue is refreshed with every scan", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    bench.pass(30_000);
    expect(bench.take("poll")).toEqual([{ type: "poll", workflow: W, running: [issue.id] }]);
  });

  test("a scan under way is not repeated, and a rate limit moves the next one", () => {
    const bench = new Bench();
    expect(bench.take("poll")).toHaveLength(1);
    bench.pass(90_000);
    expect(bench.take("poll")).toEqual([]);
    const retryAt = after(bench.now, 500_000);
    bench.say({ type: "poll_failed", workflow: W, kind: "rate_limited", error: "slow down", retryAt });
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
      const limited = { workflow: W, kind: "rate_limited", error: "used up" } as const;
      const retryAt = after(bench.now, hour);
      bench.say({ type: "refresh_failed", ...limited });
      bench.say({ type: n % 2 === 0 ? "poll_failed" : "revalidation_failed", ...limited, retryAt });
      bench.pass(hour);
    }
    expect(said()).toBe(2);
    expect(bench.take("sweep").length).toBeLessThanOrEqual(1);
    bench.scan(madeIssue("A-1"));
    expect(bench.take("start")).toHaveLength(1);
    bench.say({ type: "poll_failed", workflow: W, kind: "rate_limited", error: "again", retryAt: null });
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

  test("a waiting issue that is gone, or done, is let go of with the scan that leaves it out", () => {
    const bench = new Bench();
    const [gone, done] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(gone, done);
    exit(bench, gone, ["port_exit", "it died"]);
    exit(bench, done, ["port_exit", "it died"]);
    bench.say({ type: "polled", workflow: W, candidates: [], tookMs: 1 });
    bench.answer(madeIssue("A-2", { state: "Done" }));
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
  bench.say({ type: "paused", command: 1, scope: W, why: "freeze", until: after(bench.now, 9_000) });
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
