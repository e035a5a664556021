import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { after, instant } from "../../../src/domain/time.ts";
import { decide, initialState } from "../../../src/scheduler/decide.ts";
import { DAY_MS, dayOf } from "../../../src/scheduler/gates.ts";
import { EVERYTHING } from "../../../src/scheduler/state.ts";
import { Bench, W, madeIssue, madePolicy } from "./made.ts";
import { THREAD, completeTurn, inTurn, tokens } from "./played.ts";

/** Its turn comes to a good end, and its issue is looked at. */
function checkedTurn(bench: Bench, issue: Issue): void {
  completeTurn(bench, issue);
  bench.say({ ...bench.run(issue), type: "checked", status: issue });
}

/** A whole run that ended well and did or did not change anything. */
function wholeRun(bench: Bench, issue: Issue, changed: boolean | null): void {
  inTurn(bench, issue);
  checkedTurn(bench, issue);
  bench.say({ ...bench.run(issue), type: "exited", failure: null, changed });
  bench.pass(1000);
  bench.answer(issue);
}

const use = (bench: Bench, issue: Issue, total: number) =>
  bench.say({ ...bench.run(issue), type: "usage", threadId: THREAD, total: tokens(total) });

const pause = (bench: Bench, more: object = {}) =>
  bench.say({ type: "paused", command: 1, scope: EVERYTHING, why: "freeze", until: null, ...more });

describe("a pause", () => {
  test("starts nothing, begins no further turn, and lets the running turn come to its end", () => {
    const bench = new Bench(madePolicy({ agentsMax: 2 }));
    const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(one);
    inTurn(bench, one);
    bench.take("turn");
    pause(bench);
    bench.scan(one, two);
    expect(bench.take("stop")).toEqual([]);
    checkedTurn(bench, one);
    expect(bench.take("turn")).toEqual([]);
    expect(bench.take("stop")).toEqual([{ type: "stop", runId: "r1", why: null, survey: true }]);
    expect(bench.claim(two)).toBeUndefined();
  });

  test("is written down with the order that asked for it, in one step", () => {
    const bench = new Bench();
    const records = pause(bench).flatMap((effect) => (effect.type === "record" ? [effect.record.type] : []));
    expect(records).toEqual(["pause", "command_done"]);
  });

  test("ends when somebody resumes, or when its time is over", () => {
    for (const end of ["resume", "time"]) {
      const bench = new Bench();
      pause(bench, { until: end === "time" ? after(bench.now, 7_200_000) : null });
      bench.scan(madeIssue("A-1"));
      expect(bench.take("start")).toEqual([]);
      if (end === "resume") bench.say({ type: "resumed", command: 2, scope: EVERYTHING });
      else bench.pass(7_200_000);
      bench.answer(madeIssue("A-1"));
      expect(bench.take("start")).toHaveLength(1);
    }
  });

  test("of one workflow leaves the others alone, and resuming everything ends it too", () => {
    const bench = new Bench();
    pause(bench, { scope: W });
    bench.scan(madeIssue("A-1"));
    expect(bench.take("start")).toEqual([]);
    bench.say({ type: "resumed", command: 2, scope: EVERYTHING });
    bench.answer(madeIssue("A-1"));
    expect(bench.take("start")).toHaveLength(1);
  });

  test("still stops runs whose issue is no longer theirs", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    pause(bench);
    bench.say({ type: "refreshed", workflow: W, ids: [issue.id], statuses: [{ ...issue, state: "Done" }] });
    bench.pass(10_000);
    expect(bench.take("stop")).toHaveLength(1);
  });
});

test("a drain takes no new work, lets running turns end, and then ends the daemon", () => {
  const bench = new Bench();
  const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
  bench.scan(one);
  inTurn(bench, one);
  bench.say({ type: "drain_ordered", command: 1, why: "upgrade" });
  bench.scan(one, two);
  expect(bench.claim(two)).toBeUndefined();
  expect(bench.take("exit")).toEqual([]);
  checkedTurn(bench, one);
  bench.say({ ...bench.run(one), type: "exited", failure: null, changed: true });
  expect(bench.take("exit")).toEqual([{ type: "exit", clean: true }]);
  expect(bench.claim(one)).toMatchObject({ phase: "waiting" });
});

test("a drain that was ordered while no daemon ran is obeyed before the first poll", () => {
  const at = instant(0);
  const [configured] = decide(initialState, { type: "configured", policy: madePolicy(), at });
  const [draining, effects] = decide(configured, { type: "drain_ordered", command: 1, why: "upgrade", at });
  expect(effects.at(-1)).toEqual({ type: "exit", clean: true });
  const [, later] = decide(draining, { type: "began", at });
  expect(later).toEqual([]);
});

test("an order that is heard twice is obeyed once", () => {
  const bench = new Bench();
  pause(bench);
  bench.say({ type: "resumed", command: 2, scope: EVERYTHING });
  expect(pause(bench)).toEqual([]);
  expect(bench.state.pauses.size).toBe(0);
});

describe("a release", () => {
  test("wins over the brake that parked the issue, and grants what was asked for", () => {
    const bench = new Bench(madePolicy({ runsMax: 1, turnsMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    wholeRun(bench, issue, true);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "runs_exhausted" });
    bench.say({ type: "release_ordered", command: 1, issue: "a-1", addRuns: 2, addTokens: 500 });
    expect(bench.take("poll").length).toBeGreaterThan(0);
    bench.scan(issue);
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 1, extraRuns: 2, extraTokens: 500 });
    wholeRun(bench, issue, true);
    wholeRun(bench, issue, true);
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
    wholeRun(bench, issue, true);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked" });
  });

  test("of an issue in backoff tries it now", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    bench.say({ ...bench.run(issue), type: "exited", failure: failure("port_exit", "died"), changed: null });
    bench.say({ type: "release_ordered", command: 1, issue: issue.id, addRuns: 0, addTokens: 0 });
    bench.answer(issue);
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
  });

  test("of an issue that nothing holds says so", () => {
    const bench = new Bench();
    const effects = bench.say({
      type: "release_ordered",
      command: 7,
      issue: "A-9",
      addRuns: 0,
      addTokens: 0,
    });
    expect(effects).toMatchObject([
      { record: { type: "command_done", command: 7, answer: expect.stringContaining("nothing holds A-9") } },
    ]);
  });
});

describe("budgets", () => {
  test("what a resumed thread repeats before the first turn is counted once, with the first turn that follows", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    use(bench, issue, 100);
    const die = () =>
      bench.say({
        ...bench.run(issue),
        type: "exited",
        failure: failure("port_exit", "died"),
        changed: null,
      });
    die();
    // The next process repeats a total, of which the last one had not told the end, and dies before its first turn.
    bench.pass(10_000);
    bench.answer(issue);
    bench.say({ ...bench.run(issue), type: "opened", threadId: THREAD, resumed: true, why: null });
    use(bench, issue, 150);
    die();
    bench.pass(20_000);
    bench.answer(issue);
    inTurn(bench, issue);
    use(bench, issue, 160);
    die();
    expect(bench.state.tallies.get(issue.id)).toMatchObject({
      tokens: { total: 160 },
      threadTotal: { total: 160 },
    });
    expect(bench.state.spent.tokens).toBe(160);
  });

  test("at four fifths of an issue's tokens its agent is asked, once, to come to an end", () => {
    const bench = new Bench(madePolicy({ tokensMax: 1000 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    use(bench, issue, 799);
    expect(bench.take("steer")).toEqual([]);
    use(bench, issue, 800);
    use(bench, issue, 900);
    expect(bench.take("steer")).toEqual([{ type: "steer", runId: "r1", used: 800, max: 1000 }]);
    expect(bench.take("stop")).toEqual([]);
  });

  test("the day's tokens hold dispatch until midnight, and running turns end by themselves", () => {
    const bench = new Bench(madePolicy({ tokensPerDayMax: 1000 }));
    const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(one);
    inTurn(bench, one);
    use(bench, one, 1000);
    expect(bench.facts("day_limit_reached")).toHaveLength(1);
    bench.scan(one, two);
    expect(bench.claim(two)).toBeUndefined();
    bench.pass((dayOf(bench.now) + 1) * DAY_MS - bench.now - 1);
    bench.scan(one, two);
    expect(bench.claim(two)).toBeUndefined();
    bench.pass(1);
    bench.scan(one, two);
    expect(bench.claim(two)).toMatchObject({ phase: "running" });
  });

  test("runs that change nothing park the issue; moving it, changing something, or not knowing does not count", () => {
    const bench = new Bench(madePolicy({ turnsMax: 1, idleRunsMax: 2 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    for (const changed of [false, true, false, null, false]) wholeRun(bench, issue, changed);
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
    wholeRun(bench, issue, false);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "no_progress" });
  });
});

describe("a provider that takes no work", () => {
  const refuse = (bench: Bench, issue: Issue) =>
    bench.say({
      ...bench.run(issue),
      type: "exited",
      failure: failure("rate_limited", "slow down"),
      changed: null,
    });

  test("is left alone for longer each time it gives no reset time", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    const waits: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      refuse(bench, issue);
      const until = bench.state.workflows.get(W)?.hold?.until ?? bench.now;
      waits.push((until - bench.now) / 60_000);
      bench.pass(until - bench.now);
      bench.answer(issue);
    }
    expect(waits).toEqual([5, 10, 20]);
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 1, failures: 0 });
  });

  test("is tried by one run at a time, also after one that found out nothing", () => {
    const bench = new Bench();
    const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
    bench.scan(one);
    refuse(bench, one);
    bench.pass(5 * 60_000);
    bench.scan(one, two);
    expect(bench.take("start")).toHaveLength(2);
    bench.say({ ...bench.run(one), type: "exited", failure: failure("hook_failed", "no"), changed: null });
    bench.answer(one, two);
    expect(bench.claim(two)).toMatchObject({ phase: "running" });
    expect(bench.state.workflows.get(W)?.hold).toMatchObject({ probe: "r3" });
  });
});

test("a disk that is full starts nothing and says so once", () => {
  const bench = new Bench();
  bench.say({ type: "disk_checked", workflow: W, low: "only 1 GiB is free" });
  bench.say({ type: "disk_checked", workflow: W, low: "only 1 GiB is free" });
  bench.scan(madeIssue("A-1"));
  expect(bench.facts("disk_low")).toHaveLength(1);
  expect(bench.take("start")).toEqual([]);
  bench.say({ type: "disk_checked", workflow: W, low: null });
  bench.answer(madeIssue("A-1"));
  expect(bench.take("start")).toHaveLength(1);
});
