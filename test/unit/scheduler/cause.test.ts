import { expect, test } from "vitest";
import type { Told } from "../../../src/domain/telling.ts";
import { threadId, turnId } from "../../../src/domain/run.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { causeOf } from "../../../src/scheduler/cause.ts";
import { newTally } from "../../../src/scheduler/tally.ts";
import { Bench, madeIssue, madePolicy, T0 } from "./made.ts";
import { completeTurn, exit, THREAD } from "./played.ts";

const ONE = madeIssue("A-1");
const MINUTE = 60_000;
const TOLD: Told = { thread: THREAD, digest: "d-1", state: "Todo" };

/** The issue in this state, set at this time. */
const inState = (bench: Bench, state: string): Issue => ({ ...ONE, state, updatedAt: bench.now });

/** One run of one turn, which leaves the issue as this. */
function runOnce(bench: Bench, found: Issue = ONE, left: Issue = found): void {
  bench.scan(found);
  const of = bench.run(found);
  bench.say({ ...of, type: "opened", threadId: THREAD, resumed: false, why: null });
  bench.say({ ...of, type: "turn_started", turnId: turnId("u-1"), said: { text: "Do it.", told: TOLD } });
  completeTurn(bench, found);
  bench.say({ ...of, type: "checked", status: left });
  bench.say({ ...of, type: "exited", failure: null, changed: true });
  bench.take("start");
}

const telling = (bench: Bench) => bench.take("start")[0]?.telling;

const short = (): Bench => new Bench(madePolicy({ turnsMax: 1 }));

test("the first run of an issue was begun for nothing else, and no thread has been told anything", () => {
  const bench = new Bench();
  bench.scan(ONE);
  expect(telling(bench)).toEqual({ cause: { type: "first" }, told: null, state: "Todo" });
});

test("a run that follows one that ended well is a continuation, and knows what the thread was told", () => {
  const bench = short();
  runOnce(bench);
  bench.pass(1_000);
  bench.answer(ONE);
  expect(telling(bench)).toEqual({ cause: { type: "continued", turns: 1 }, told: TOLD, state: "Todo" });
});

test("where its agent moved the issue is no news: it is compared in the state that somebody else set", () => {
  const bench = short();
  const moved = inState(bench, "In Progress");
  runOnce(bench, ONE, moved);
  bench.pass(1_000);
  bench.answer(moved);
  expect(telling(bench)).toMatchObject({ cause: { type: "continued" }, state: "Todo" });
});

test("what its agent did last, and nobody saw before it ended, was not somebody else's doing", () => {
  const bench = new Bench();
  bench.scan(ONE);
  bench.take("start");
  bench.pass(MINUTE);
  const moved = inState(bench, "In Progress");
  bench.pass(1_000);
  exit(bench, ONE, ["port_exit", "it died"]);
  bench.pass(10_000);
  bench.answer(moved);
  expect(telling(bench)).toMatchObject({ cause: { type: "retried", why: "it died" } });
});

test("an issue that comes back in another state was given back by somebody, who set that state", () => {
  const bench = short();
  runOnce(bench, ONE, inState(bench, "Human Review"));
  expect(bench.claim(ONE)).toBeUndefined();
  bench.pass(60 * MINUTE);
  bench.scan(inState(bench, "In Progress"));
  expect(telling(bench)).toEqual({
    cause: { type: "given_back", state: "In Progress", before: "Human Review" },
    told: TOLD,
    state: "In Progress",
  });
});

test("it was given back also when it left and came back while it waited for its next run", () => {
  const bench = short();
  runOnce(bench);
  bench.pass(1_000);
  bench.answer(inState(bench, "Human Review"));
  expect(bench.claim(ONE)).toBeUndefined();
  bench.pass(MINUTE);
  bench.scan(inState(bench, "Todo"));
  expect(telling(bench)?.cause).toEqual({ type: "given_back", state: "Todo", before: "Human Review" });
});

test("a parked issue that a person releases says so, and what it was parked for", () => {
  const bench = new Bench(madePolicy({ limits: { maxFailures: 1 } }));
  bench.scan(ONE);
  bench.take("start");
  exit(bench, ONE, ["port_exit", "it died"]);
  bench.order({ type: "release", issue: "A-1", addRuns: 0, addTokens: 0 });
  bench.scan(ONE);
  expect(telling(bench)?.cause).toEqual({
    type: "released",
    parked: "1 runs in a row failed (limits.max_failures).",
  });
});

test.each([["lost"], ["interrupted"]] as const)(
  "a run that Baton ended under (%s) goes on from there",
  (outcome) => {
    const last = {
      at: T0,
      state: null,
      thread: THREAD,
      turns: 1,
      outcome,
      kind: null,
      why: "it ended",
      released: null,
    };
    expect(causeOf({ ...newTally, last }, { ...ONE, state: "Elsewhere" })).toEqual({ type: "restarted" });
  },
);

test("a thread is remembered to know a prompt from the moment its turn has begun, and only when it is another", () => {
  const bench = new Bench();
  bench.scan(ONE);
  const of = bench.run(ONE);
  bench.say({ ...of, type: "opened", threadId: THREAD, resumed: false, why: null });
  const begin = (told: Told) =>
    bench.say({ ...of, type: "turn_started", turnId: turnId("u"), said: { text: "Do it.", told } }).records;
  expect(begin(TOLD)).toContainEqual(
    expect.objectContaining({ type: "tally", tally: expect.objectContaining({ told: TOLD }) }),
  );
  expect(begin(TOLD).map(({ type }) => type)).toEqual(["turn_started"]);
  const other = { ...TOLD, thread: threadId("t-2") };
  expect(begin(other).map(({ type }) => type)).toEqual(["turn_started", "tally"]);
  expect(begin({ ...other, digest: "d-2" })[0]).toMatchObject({ text: "Do it." });
});

test("an issue that is done forgets with its workspace what was told there", () => {
  const bench = short();
  const done = inState(bench, "Done");
  runOnce(bench, ONE, done);
  expect(bench.state.tallies.get(ONE.id)).toMatchObject({ thread: null, told: null, last: null });
  bench.pass(MINUTE);
  bench.scan({ ...ONE, updatedAt: bench.now });
  expect(telling(bench)).toEqual({ cause: { type: "first" }, told: null, state: "Todo" });
});
