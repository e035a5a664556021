import { EVERYTHING, type Order } from "../../../src/domain/order.ts";
import { describe, expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { after, instant } from "../../../src/domain/time.ts";
import { decide, initialState } from "../../../src/scheduler/decide.ts";
import { nothing } from "../../../src/scheduler/change.ts";
import { threadId, workflowName } from "../../../src/domain/run.ts";
import { Claims } from "../../../src/scheduler/claims.ts";
import type { Decision } from "../../../src/scheduler/effects.ts";
import { PersistentMap } from "../../../src/scheduler/persistent-map.ts";
import type { State } from "../../../src/scheduler/state.ts";
import { newTally } from "../../../src/scheduler/tally.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { Bench, madeHold, madeIssue, madeParked, madePolicy, madeWaiting, T0, W } from "./made.ts";
import { checkedTurn, exit, heldFor, inTurn, refuse, wholeRun } from "./played.ts";

const pause = (bench: Bench, more: Partial<Extract<Order, { type: "pause" }>> = {}) =>
  bench.order({ type: "pause", scope: EVERYTHING, why: "freeze", until: null, ...more });

const answerIn = ({ records }: Decision): string | null => {
  const done = records.find((one) => one.type === "order_done");
  return done?.type === "order_done" ? done.answer : null;
};

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
    expect(bench.take("stop")).toEqual([{ type: "stop", runId: "r1", why: null, survey: false }]);
    expect(bench.facts("run_stopping")).toMatchObject([{ why: "it is paused: freeze" }]);
    expect(bench.claim(two)).toBeUndefined();
  });

  test("is written down with the order that asked for it, in one step", () => {
    const bench = new Bench();
    const records = pause(bench).records.map(({ type }) => type);
    expect(records).toEqual(["pause", "order_done"]);
  });

  test("ends when somebody resumes, or when its time is over", () => {
    for (const end of ["resume", "time"]) {
      const bench = new Bench();
      pause(bench, { until: end === "time" ? after(bench.now, 7_200_000) : null });
      bench.scan(madeIssue("A-1"));
      expect(bench.take("start")).toEqual([]);
      if (end === "resume") bench.order({ type: "resume", scope: EVERYTHING });
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
    bench.order({ type: "resume", scope: EVERYTHING });
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
  bench.order({ type: "drain", why: "upgrade" });
  bench.scan(one, two);
  expect(bench.claim(two)).toBeUndefined();
  expect(bench.take("exit")).toEqual([]);
  checkedTurn(bench, one);
  bench.say({ ...bench.run(one), type: "exited", failure: null, changed: true });
  expect(bench.take("exit")).toEqual([{ type: "exit", clean: true }]);
  expect(bench.claim(one)).toMatchObject({ phase: "waiting" });
});

test("pauses and drains cost no runs: what they cut short is no run, and neither for nothing nor progress", () => {
  const bench = new Bench(madePolicy({ limits: { maxRunsPerIssue: 2, maxIdleRuns: 2 } }));
  const issue = madeIssue("A-1");
  for (let n = 0; n < 15; n += 1) {
    bench.scan(issue);
    inTurn(bench, issue);
    pause(bench);
    checkedTurn(bench, issue);
    bench.say({ ...bench.run(issue), type: "exited", failure: null, changed: false });
    expect(bench.claim(issue)).toMatchObject({ phase: "waiting", kind: "continuation" });
    expect(bench.state.tallies.get(issue.id)).toMatchObject({ runs: 0, idle: 0, failures: 0 });
    bench.order({ type: "resume", scope: EVERYTHING });
    bench.pass(1_000);
  }
  bench.order({ type: "drain", why: "upgrade" });
  expect(bench.state.phase).toBe("stopped");
});

test("a drain that was ordered while no daemon ran is obeyed before the first poll", () => {
  const at = instant(0);
  const order = { type: "drain", why: "upgrade" } as const;
  const configured = decide(initialState, { type: "configured", policy: madePolicy(), at });
  const draining = decide(configured.state, { type: "ordered", number: 1, order, at });
  expect(draining.work.at(-1)).toEqual({ type: "exit", clean: true });
  expect(decide(draining.state, { type: "began", at })).toEqual(nothing(draining.state));
});

test("a drain that was given to a daemon that has ended is not obeyed by the next one", () => {
  const at = instant(0);
  const order = { type: "drain", why: "upgrade" } as const;
  const configured = decide(initialState, { type: "configured", policy: madePolicy(), at });
  const told = decide(configured.state, { type: "ordered", number: 1, order, isFromBefore: true, at });
  expect(told.state.phase).toBe(configured.state.phase);
  expect(told.state.orderDone).toBe(1);
  expect(told.work).toEqual([]);
  expect(answerIn(told)).toMatch(/^refused: the daemon that it was given to has ended/);
});

test("only a drain lapses: a pause that was given while no daemon ran is obeyed", () => {
  const bench = new Bench();
  const order = { type: "pause", scope: EVERYTHING, why: "freeze", until: null } as const;
  bench.say({ type: "ordered", number: 1, order, isFromBefore: true });
  expect(bench.state.pauses.size).toBe(1);
});

test.each(["pause", "resume"] as const)(
  "a %s of a workflow that is not there is refused, with those that are",
  (type) => {
    const bench = new Bench();
    const order = { type, scope: workflowName("typo"), why: "x", until: null };
    const told = bench.order(order);
    expect(bench.state.pauses.size).toBe(0);
    expect(answerIn(told)).toBe(`refused: no workflow is called "typo" here; there is "${W}"`);
  },
);

test("a resume during a drain ends the pause, and does not say that work goes on now", () => {
  const bench = new Bench();
  const issue = madeIssue("A-1");
  bench.scan(issue);
  inTurn(bench, issue);
  pause(bench);
  bench.order({ type: "drain", why: "upgrade" });
  const told = bench.order({ type: "resume", scope: EVERYTHING });
  expect(bench.state.pauses.size).toBe(0);
  expect(answerIn(told)).toBe(
    "everything is no longer paused; Baton is draining: it goes on at the next start",
  );
});

test("an order that is heard twice is obeyed once", () => {
  const bench = new Bench();
  pause(bench);
  bench.order({ type: "resume", scope: EVERYTHING });
  const again = { type: "pause", scope: EVERYTHING, why: "freeze", until: null } as const;
  expect(bench.order(again, 1)).toEqual(nothing(bench.state));
  expect(bench.state.pauses.size).toBe(0);
});

describe("a release", () => {
  test("wins over the brake that parked the issue, and grants what was asked for", () => {
    const bench = new Bench(madePolicy({ limits: { maxRunsPerIssue: 1 }, turnsMax: 1 }));
    const issue = madeIssue("A-1");
    bench.scan(issue);
    wholeRun(bench, issue, true);
    expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "runs_exhausted" });
    bench.order({ type: "release", issue: "a-1", addRuns: 2, addTokens: 500 });
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
    bench.order({ type: "release", issue: issue.id, addRuns: 0, addTokens: 0 });
    bench.answer(issue);
    expect(bench.claim(issue)).toMatchObject({ phase: "running" });
  });

  test("of what runs or waits is told, with what was granted and what becomes of the thread", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    inTurn(bench, issue);
    bench.order({ type: "release", issue: "A-1", addRuns: 2, addTokens: 500, newThread: true });
    expect(bench.facts("release_ordered")).toMatchObject([
      {
        during: "running",
        why: "somebody released it, with 2 more runs and 500 more tokens, and the run after this one begins a new thread",
        identifier: "A-1",
        runId: "r1",
      },
    ]);
    exit(bench, issue, ["port_exit", "it died"]);
    bench.order({ type: "release", issue: "A-1", addRuns: 0, addTokens: 0 });
    const [, second] = bench.facts("release_ordered");
    expect(second).toMatchObject({ during: "waiting", why: "somebody released it" });
    expect(second).not.toHaveProperty("runId");
  });

  test("of what is parked tells the same with its end", () => {
    const claims = [madeParked(madeIssue("A-1"))];
    const tallies = PersistentMap.of([[madeIssue("A-1").id, { ...newTally, thread: threadId("t1") }]]);
    const bench = new Bench(madePolicy(), { ...initialState, claims: Claims.of(claims), tallies });
    bench.order({ type: "release", issue: "A-1", addRuns: 1, addTokens: 0, newThread: true });
    expect(bench.facts("unparked")).toMatchObject([
      { why: "somebody released it, with 1 more run, and its next run begins a new thread" },
    ]);
    expect(bench.facts("release_ordered")).toEqual([]);
  });

  test("of an issue that nothing holds says so", () => {
    const bench = new Bench();
    const { records } = bench.order({ type: "release", issue: "A-9", addRuns: 0, addTokens: 0 }, 7);
    expect(records).toMatchObject([
      { type: "order_done", number: 7, answer: expect.stringContaining("nothing holds A-9") },
    ]);
  });
});

const answerTo = ({ records }: Decision): string | undefined =>
  records.flatMap((record) => (record.type === "order_done" ? [record.answer] : []))[0];

/** One issue runs on, another was refused until tomorrow. */
function held(): { readonly bench: Bench; readonly one: Issue; readonly two: Issue } {
  const bench = new Bench();
  const [one, two] = [madeIssue("A-1"), madeIssue("A-2")];
  bench.scan(one, two);
  refuse(bench, one, after(bench.now, 86_400_000));
  bench.take("start");
  return { bench, one, two };
}

describe("what a hold keeps from starting is tried by one run at once", () => {
  test("when somebody resumes everything, or the workflow; and the answer says so", () => {
    for (const scope of [EVERYTHING, W] as const) {
      const { bench, one } = held();
      const answer = answerTo(bench.order({ type: "resume", scope }));
      expect(answer).toMatch(/was not paused; one run tries now whether the provider works again/);
      expect(heldFor(bench)).toBe(0);
      bench.answer(one);
      expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["A-1"]);
      expect(bench.facts("trial_due")).toHaveLength(1);
      const again = answerTo(bench.order({ type: "resume", scope }));
      expect(again).toMatch(/one run is trying already/);
    }
  });

  test("when somebody releases an issue that waits for it", () => {
    const { bench, one } = held();
    const answer = answerTo(bench.order({ type: "release", issue: "A-1", addRuns: 0, addTokens: 0 }));
    expect(answer).toMatch(/^A-1 is due; one run tries now whether the provider works again/);
    bench.answer(one);
    expect(bench.take("start")).toHaveLength(1);
  });

  test("when the file is saved with other codex settings, and not with other settings of another kind", () => {
    const { bench } = held();
    bench.say({ type: "configured", policy: madePolicy({ hash: "h2" }) });
    expect(heldFor(bench)).toBe(86_400_000);
    bench.say({ type: "configured", policy: madePolicy({ hash: "h3", codexHash: "c2" }) });
    expect(heldFor(bench)).toBe(0);
  });

  test("when Baton starts with other codex settings than it was found under, and not with the same ones", () => {
    const { bench } = held();
    const hold = bench.state.workflows.get(W)?.hold ?? null;
    if (hold === null) throw new Error("it is not held");
    const started = (codexHash: string): Bench =>
      new Bench(madePolicy({ hash: "h9", codexHash }), { ...initialState, holds: new Map([[W, hold]]) });
    expect(heldFor(started(madePolicy().codexHash))).toBeGreaterThan(0);
    const other = started("c2");
    expect(other.state.workflows.get(W)?.hold?.until).toBe(other.now);
    expect(other.facts("trial_due")).toMatchObject([{ because: "its settings have changed" }]);
    // The trial finds it in force: it holds under these, and a start with them tries nothing.
    expect(other.state.workflows.get(W)?.hold?.under).toBe("c2");
  });

  test("a fault of the installation, when the file is saved with anything else in it", () => {
    const bench = new Bench();
    const issue = madeIssue("A-1");
    bench.scan(issue);
    exit(bench, issue, ["root_unusable", "it cannot be written"]);
    bench.say({ type: "configured", policy: madePolicy() });
    expect(heldFor(bench)).toBe(30_000);
    bench.say({ type: "configured", policy: madePolicy({ hash: "h2" }) });
    expect(heldFor(bench)).toBe(0);
  });

  test("and while it is paused, or drains, the answer says when it goes on", () => {
    const { bench } = held();
    pause(bench);
    expect(answerTo(bench.order({ type: "resume", scope: W }))).toMatch(
      /^workflow "main" was not paused; everything is paused: it goes on with `baton resume`$/,
    );
    bench.order({ type: "drain", why: "upgrade" });
    expect(answerTo(bench.order({ type: "resume", scope: EVERYTHING }))).toMatch(
      /^everything is no longer paused; Baton is draining: it goes on at the next start$/,
    );
  });
});

describe("a release of all that is parked", () => {
  const parked = (): Bench => {
    const claims = [
      madeParked(madeIssue("A-1")),
      madeParked(madeIssue("A-2"), { reason: "no_progress" }),
      madeWaiting(madeIssue("A-3")),
    ];
    const tallies = PersistentMap.of(claims.map(({ issue }) => [issue.id, { ...newTally, failures: 9 }]));
    return new Bench(madePolicy(), { ...initialState, claims: Claims.of(claims), tallies });
  };

  test("lets go of each, sets its counters back, and says how many", () => {
    const bench = parked();
    expect(answerTo(bench.order({ type: "release_all", reason: null }))).toBe(
      "2 tickets are released (1 failing, 1 no_progress)",
    );
    expect([...bench.state.claims.values()].map(({ phase }) => phase)).toEqual(["waiting"]);
    expect(bench.state.tallies.get(madeIssue("A-1").id)).toMatchObject({ failures: 0 });
    expect(bench.state.tallies.get(madeIssue("A-3").id)).toMatchObject({ failures: 9 });
  });

  test("of one reason leaves the others, and says when there is none", () => {
    const bench = parked();
    expect(answerTo(bench.order({ type: "release_all", reason: "failing" }))).toBe(
      "1 ticket is released (1 failing)",
    );
    expect(answerTo(bench.order({ type: "release_all", reason: "failing" }))).toBe(
      'nothing is parked for "failing"',
    );
    bench.order({ type: "release_all", reason: null });
    expect(answerTo(bench.order({ type: "release_all", reason: null }))).toBe("nothing is parked");
  });
});

test("an issue in backoff is tried as soon as there is a slot, and the release says so", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  bench.scan(madeIssue("A-1"));
  exit(bench, madeIssue("A-1"), ["port_exit", "it died"]);
  bench.scan(madeIssue("A-1"), madeIssue("A-2"));
  expect(answerTo(bench.order({ type: "release", issue: "A-1", addRuns: 0, addTokens: 0 }))).toBe(
    "A-1 is tried again as soon as a slot is free",
  );
});

test("a start under a hold or a pause says so, with what ends it", () => {
  const state: State = {
    ...initialState,
    holds: new Map([[W, madeHold({ remedy: "Run `codex login`.", until: after(T0, 60_000) })]]),
    pauses: new Map([[EVERYTHING, { why: "freeze", since: T0, until: null }]]),
  };
  const bench = new Bench(madePolicy(), state);
  expect(bench.facts("standing")).toMatchObject([
    { workflow: W, what: "main is held", remedy: "Run `codex login`.", until: after(T0, 60_000) },
    { what: "everything is paused", why: "freeze", remedy: "`baton resume` ends it." },
  ]);
  expect(new Bench().facts("standing")).toEqual([]);
});
