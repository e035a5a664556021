import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { turnId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { LEAVE_MS } from "../../../src/scheduler/running.ts";
import { Bench, W, madeIssue, madePolicy } from "./made.ts";
import { THREAD, tokens, inTurn, completeTurn, exit } from "./played.ts";

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
