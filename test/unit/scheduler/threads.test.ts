import { expect, test } from "vitest";
import { failure, type FailureKind } from "../../../src/domain/failure.ts";
import { threadId, turnId } from "../../../src/domain/run.ts";
import { newTally, type Tally } from "../../../src/scheduler/tally.ts";
import { threadFailures } from "../../../src/scheduler/threads.ts";
import { Bench, madeIssue, madePolicy, T0 } from "./made.ts";
import { completeTurn, exit, open, THREAD } from "./played.ts";

const ONE = madeIssue("A-1");

/** After a run on this thread that failed in these words. */
const failed = (kind: FailureKind, why = "it failed", before = 0): Tally => ({
  ...newTally,
  thread: THREAD,
  threadFailures: before,
  last: { at: T0, state: "Todo", thread: THREAD, turns: 1, outcome: "failed", kind, why, released: null },
});

const after = (
  tally: Tally,
  kind: FailureKind | null,
  { thread = THREAD, turns = 1, why = "it failed", held = false } = {},
): number => threadFailures(tally, { thread, turns, held, why: kind === null ? null : failure(kind, why) });

test.each<[FailureKind]>([["resume_failed"], ["context_window_exceeded"], ["invalid_request"]])(
  "%s is the thread's own doing, whenever it happens",
  (kind) => {
    expect(after(failed("hook_failed"), kind)).toBe(1);
    expect(after(failed(kind, "in other words", 1), kind)).toBe(2);
  },
);

test("the same error twice on one thread is its own doing, whatever numbers and ids are in it", () => {
  const before = failed("turn_failed", "request 7f3a9c21-1b2c failed after 12 s");
  expect(after(before, "turn_failed", { why: "request 00aa11bb-9d8e failed after 9 s" })).toBe(2);
  expect(after(before, "turn_failed", { why: "something else" })).toBe(0);
  expect(after(before, "port_exit", { why: "request 00aa11bb-9d8e failed after 9 s" })).toBe(0);
  expect(after(before, "turn_failed", { thread: threadId("t-2"), why: "request 1 failed after 9 s" })).toBe(
    0,
  );
});

test("a thread that came to the end of a turn in between is not to blame for the same error", () => {
  expect(after(failed("stalled"), "stalled", { turns: 2 })).toBe(0);
});

test.each<[FailureKind]>([
  ["hook_failed"],
  ["workspace_error"],
  ["codex_not_found"],
  ["template_render_error"],
  ["run_timeout"],
  ["tracker_error"],
  ["usage_limit"],
  ["lost"],
  ["shutdown"],
])("%s says nothing of the thread, also when it happens twice, and does not excuse it either", (kind) => {
  expect(after(failed(kind), kind)).toBe(0);
  expect(after(failed(kind, "it failed", 1), kind)).toBe(1);
});

test("what all tickets meet is not blamed on a thread, unless it is of the kind that threads do", () => {
  expect(after(failed("port_exit"), "port_exit", { held: true })).toBe(0);
  expect(after(failed("resume_failed", "it failed", 1), "resume_failed", { held: true })).toBe(2);
});

test("a run that ends well and another thread set it back", () => {
  const before = failed("invalid_request", "it failed", 1);
  expect(after(before, null)).toBe(0);
  expect(after(before, "invalid_request", { thread: threadId("t-2") })).toBe(1);
});

test("another thread that came to no turn does not excuse the one that is kept", () => {
  const before = failed("invalid_request", "it failed", 1);
  for (const kind of ["lost", "invalid_request", "port_exit"] as const)
    expect(after(before, kind, { thread: threadId("t-2"), turns: 0 })).toBe(1);
});

/** Runs that were to go on with a thread of before, and could not. */
function mute(bench: Bench, times: number): void {
  for (let n = 0; n < times; n += 1) {
    exit(bench, ONE, ["resume_failed", "Codex did not resume the thread"]);
    bench.pass(300_000);
    bench.answer(ONE);
  }
}

/** A run that has made a thread, and died of something else. */
function withThread(bench: Bench): void {
  bench.scan(ONE);
  open(bench, ONE);
  bench.say({ ...bench.run(ONE), type: "turn_started", turnId: turnId("u-1") });
  exit(bench, ONE, ["port_exit", "it died"]);
  bench.pass(10_000);
  bench.answer(ONE);
  bench.take("start");
}

test("a thread that cannot be resumed is given up after two runs, and the next one begins another, which is said", () => {
  const bench = new Bench();
  withThread(bench);
  mute(bench, 2);
  expect(bench.take("start").map(({ resume }) => resume)).toEqual([THREAD, null]);
  expect(bench.facts("thread_given_up")).toMatchObject([
    { thread: THREAD, why: "Codex did not resume the thread", identifier: "A-1" },
  ]);
});

test("a turn that comes to its end sets it back, and one that is only told twice to have begun does not", () => {
  const bench = new Bench();
  const full = () => {
    exit(bench, ONE, ["context_window_exceeded", "it is too full"]);
    bench.pass(300_000);
    bench.answer(ONE);
  };
  const begin = (times: number) => {
    bench.say({ ...bench.run(ONE), type: "opened", threadId: THREAD, resumed: true, why: null });
    for (let told = 0; told < times; told += 1)
      bench.say({ ...bench.run(ONE), type: "turn_started", turnId: turnId("u-1") });
  };
  withThread(bench);
  begin(1);
  full();
  begin(1);
  completeTurn(bench, ONE);
  expect(bench.state.tallies.get(ONE.id)).toMatchObject({ threadFailures: 0 });
  full();
  expect(bench.take("start").at(-1)).toMatchObject({ resume: THREAD });
  begin(2);
  full();
  expect(bench.take("start").at(-1)).toMatchObject({ resume: null });
});

test("a release after a park in which the thread had its part begins a new one, and says so", () => {
  const bench = new Bench(madePolicy({ limits: { maxFailures: 2 } }));
  withThread(bench);
  exit(bench, ONE, ["resume_failed", "Codex did not resume the thread"]);
  expect(bench.claim(ONE)).toMatchObject({ phase: "parked" });
  const { records } = bench.order({ type: "release", issue: "A-1", addRuns: 0, addTokens: 0 });
  expect(records.at(-1)).toMatchObject({
    answer: expect.stringContaining("A-1 is released, and its next run begins a new thread; it was parked"),
  });
  bench.scan(ONE);
  expect(bench.take("start")).toMatchObject([{ resume: null }]);
});

test("a release after a park that was none of the thread's doing resumes it, unless a new one is asked for", () => {
  for (const [newThread, resume] of [
    [undefined, THREAD],
    [true, null],
  ] as const) {
    const bench = new Bench(madePolicy({ limits: { maxFailures: 2 } }));
    withThread(bench);
    exit(bench, ONE, ["hook_failed", "npm ci failed"]);
    const more = newThread === undefined ? {} : { newThread };
    bench.order({ type: "release", issue: "A-1", addRuns: 0, addTokens: 0, ...more });
    bench.scan(ONE);
    expect(bench.take("start")).toMatchObject([{ resume }]);
  }
});

test("a new thread that is asked for while a run is under way is begun by the run after it", () => {
  const bench = new Bench();
  withThread(bench);
  const order = { type: "release", issue: "A-1", addRuns: 0, addTokens: 0, newThread: true } as const;
  expect(bench.order(order).records.at(-1)).toMatchObject({
    answer: "A-1 is running; its counters start again, and the run after this one begins a new thread",
  });
  bench.say({ ...bench.run(ONE), type: "opened", threadId: THREAD, resumed: true, why: null });
  exit(bench, ONE, ["hook_failed", "npm ci failed"]);
  bench.pass(10_000);
  bench.answer(ONE);
  expect(bench.take("start")).toMatchObject([{ resume: null, telling: { cause: { type: "retried" } } }]);
  expect(bench.facts("thread_given_up")).toHaveLength(1);
});
