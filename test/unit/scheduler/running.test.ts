import { describe, expect, test } from "vitest";
import { LEAVE_MS } from "../../../src/scheduler/running.ts";
import { Bench, W, madeIssue, madePolicy } from "./made.ts";
import { exit, inTurn, open } from "./played.ts";

describe("a run", () => {
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
      // Gone is what is missing twice.
      for (let times = 0; times < 2; times += 1)
        bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses });
      bench.pass(LEAVE_MS);
      expect(bench.take("stop")).toHaveLength(1);
      exit(bench, issue);
      expect(bench.take("remove")).toEqual([]);
      expect(bench.claim(issue)).toBeUndefined();
    }
  });

  test("of an issue that was moved to another project is stopped ten seconds later, and says why", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    const whyNot = 'it is in another project ("other")';
    const moved = { ...issue, dispatchable: false, whyNot };
    bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses: [moved] });
    expect(bench.take("stop")).toEqual([]);
    bench.pass(LEAVE_MS);
    expect(bench.take("stop")).toMatchObject([
      { why: { message: expect.stringContaining(whyNot) as string } },
    ]);
    exit(bench, issue);
    expect(bench.facts("released")).toMatchObject([{ why: whyNot }]);
    expect(bench.take("remove")).toEqual([]);
  });

  test("is not stopped because a refresh failed", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.say({ type: "refresh_failed", workflow: W, kind: "tracker_request", error: "no answer" });
    bench.pass(120_000);
    expect(bench.take("stop")).toEqual([]);
  });

  test("is stalled by silence that began with the request, although its turn never did", () => {
    const bench = new Bench(madePolicy({ silenceMaxMs: 60_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const asked = bench.now;
    open(bench, issue);
    expect(bench.take("turn")).toHaveLength(1);
    bench.pass(60_000);
    expect(bench.take("pulse")).toHaveLength(1);
    bench.say({ ...bench.run(issue), type: "pulse", signAt: asked, openCommands: 0, openCalls: 0 });
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "stalled" } }]);
  });

  test("may wait in silence for whom it calls, but not for ever", () => {
    const bench = new Bench(madePolicy({ silenceMaxMs: 60_000, callSilenceMaxMs: 150_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    const pulse = {
      ...bench.run(issue),
      type: "pulse",
      signAt: bench.now,
      openCommands: 0,
      openCalls: 1,
    } as const;
    bench.pass(60_000);
    expect(bench.take("pulse")).toHaveLength(1);
    bench.say(pulse);
    bench.pass(89_999);
    expect(bench.take("pulse")).toEqual([]);
    bench.pass(1);
    expect(bench.take("pulse")).toHaveLength(1);
    expect(bench.take("stop")).toEqual([]);
    bench.say(pulse);
    expect(bench.take("stop")).toMatchObject([
      { why: { kind: "stalled", hint: expect.stringContaining("codex.tool_timeout_ms") } },
    ]);
  });

  test("is not stalled sooner for a call than without one", () => {
    const bench = new Bench(madePolicy({ silenceMaxMs: 60_000, callSilenceMaxMs: 1_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    const begun = bench.now;
    bench.pass(30_000);
    bench.say({ ...bench.run(issue), type: "pulse", signAt: begun, openCommands: 0, openCalls: 1 });
    expect(bench.take("stop")).toEqual([]);
  });

  test("is stalled by silence, and not by a command that still runs", () => {
    const bench = new Bench(madePolicy({ silenceMaxMs: 60_000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    const begun = bench.now;
    bench.pass(60_000);
    expect(bench.take("pulse")).toHaveLength(1);
    bench.say({ ...bench.run(issue), type: "pulse", signAt: begun, openCommands: 1, openCalls: 0 });
    expect(bench.take("stop")).toEqual([]);
    bench.pass(60_000);
    expect(bench.take("pulse")).toHaveLength(1);
    bench.say({ ...bench.run(issue), type: "pulse", signAt: begun, openCommands: 0, openCalls: 0 });
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "stalled" } }]);
  });

  test("ends when it has lasted as long as a run may", () => {
    const bench = new Bench(madePolicy({ limits: { maxRunMs: 100_000 } }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.pass(100_000);
    expect(bench.take("stop")).toMatchObject([{ why: { kind: "run_timeout" } }]);
  });
});
