import { failure } from "../../../src/domain/failure.ts";
import { threadId } from "../../../src/domain/run.ts";
import { expect, test } from "vitest";
import { DAY_MS } from "../../../src/domain/domain.ts";
import { dayOf } from "../../../src/scheduler/gates.ts";
import { Bench, madeIssue, madePolicy } from "./made.ts";
import { THREAD, completeTurn, exit, inTurn, tokens, use } from "./played.ts";

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

test("agents of the model's own count: each thread by its own mark, and the limits hold for the sum", () => {
  const bench = new Bench(madePolicy({ limits: { maxTokensPerIssue: 1000 } }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  inTurn(bench, issue);
  const child = (name: string, total: number, known = 0) =>
    bench.say({
      ...bench.run(issue),
      type: "usage",
      threadId: threadId(name),
      total: tokens(total),
      known: tokens(known),
    });
  use(bench, issue, 100);
  for (const total of [300, 300, 200]) child("one", total);
  child("two", 50);
  // What an earlier run of the thread has spent was counted with it.
  child("old", 5_000, 4_990);
  child("old", 5_005, 4_990);
  use(bench, issue, 120);
  expect(bench.claim(issue)).toMatchObject({ tokens: { total: 485 }, threadTotal: { total: 120 } });
  expect(bench.state.spent.tokens).toBe(485);
  child("one", 900);
  expect(bench.take("stop")).toMatchObject([{ why: { kind: "limit_reached" } }]);
});

test("what is reported of any thread before the run's own is open, or before its first turn, counts later", () => {
  const bench = new Bench();
  const issue = madeIssue("A-1");
  bench.scan(issue);
  const early = (): unknown =>
    bench.say({ ...bench.run(issue), type: "usage", threadId: threadId("child"), total: tokens(40) });
  early();
  inTurn(bench, issue);
  expect(bench.claim(issue)).toMatchObject({ tokens: { total: 0 } });
  early();
  expect(bench.claim(issue)).toMatchObject({ tokens: { total: 40 } });
});

test("what a resumed thread repeats before the first turn is counted once, with the first turn that follows", () => {
  const bench = new Bench();
  const issue = madeIssue("A-1");
  bench.scan(issue);
  inTurn(bench, issue);
  use(bench, issue, 100);
  const die = (why: string) =>
    bench.say({
      ...bench.run(issue),
      type: "exited",
      failure: failure("port_exit", why),
      changed: null,
    });
  die("died");
  // The next process repeats a total, of which the last one had not told the end, and dies before its first turn.
  bench.pass(10_000);
  bench.answer(issue);
  bench.say({ ...bench.run(issue), type: "opened", threadId: THREAD, resumed: true, why: null });
  use(bench, issue, 150);
  die("fell over");
  bench.pass(20_000);
  bench.answer(issue);
  inTurn(bench, issue);
  use(bench, issue, 160);
  die("died");
  expect(bench.state.tallies.get(issue.id)).toMatchObject({
    tokens: { total: 160 },
    threadTotal: { total: 160 },
  });
  expect(bench.state.spent.tokens).toBe(160);
});

test("at four fifths of an issue's tokens its agent is asked, once, to come to an end", () => {
  const bench = new Bench(madePolicy({ limits: { maxTokensPerIssue: 1000 } }));
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

test("an issue that has used up its tokens is interrupted and parked", () => {
  const bench = new Bench(madePolicy({ limits: { maxTokensPerIssue: 1000 } }));
  const issue = madeIssue("A-1");
  bench.scan(issue);
  inTurn(bench, issue);
  bench.say({ ...bench.run(issue), type: "usage", threadId: THREAD, total: tokens(1000) });
  expect(bench.take("stop")).toMatchObject([{ why: { kind: "limit_reached" } }]);
  exit(bench, issue);
  expect(bench.claim(issue)).toMatchObject({ phase: "parked", reason: "tokens_exhausted" });
});

test("the day's tokens hold dispatch until midnight, and running turns end by themselves", () => {
  const bench = new Bench(madePolicy({ limits: { maxTokensPerDay: 1000 } }));
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
