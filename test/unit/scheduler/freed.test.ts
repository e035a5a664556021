import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import type { News } from "../../../src/scheduler/events.ts";
import { Bench, OTHER, T0, W, madeIssue, madePolicy, summaryOf, twoWorkflows } from "./made.ts";
import { completeTurn, exit, inTurn } from "./played.ts";

const blocker = madeIssue("B-1", { state: "In Progress" });
const blockedBy = ({ id, identifier, state }: Issue) => ({ blockedBy: [{ id, identifier, state }] });
const blocked = madeIssue("A-1", { priority: 4, ...blockedBy(blocker) });
const freed = { ...blocked, ...blockedBy({ ...blocker, state: "Done" }) };

/** Blocked tickets of others, so many that the turn of each comes late. */
const others = Array.from({ length: 60 }, (_, n) =>
  madeIssue(`C-${n}`, { blockedBy: [{ id: "x", identifier: "X-1", state: "Todo" }] }),
);

/** One runs, and the others were found to be blocked. */
function began(): Bench {
  const bench = new Bench(madePolicy({ agentsMax: 3 }));
  bench.scan(blocker, blocked, ...others);
  inTurn(bench, blocker);
  expect(bench.claim(blocked)).toBeUndefined();
  return bench;
}

const asked = (bench: Bench): readonly string[] => bench.take("revalidate").flatMap(({ ids }) => ids);

describe("a blocker that is seen to have come to its end frees those that name it", () => {
  test.each<readonly [string, (bench: Bench) => News]>([
    [
      "by a refresh",
      () => ({
        type: "refreshed",
        workflow: W,
        ids: [blocker.id],
        statuses: [{ ...blocker, state: "Done" }],
      }),
    ],
    [
      "by a refresh that does not show it any more",
      () => ({ type: "refreshed", workflow: W, ids: [blocker.id], statuses: [] }),
    ],
    [
      "between two turns",
      (bench) => {
        completeTurn(bench, blocker);
        return { type: "checked", ...bench.run(blocker), status: { ...blocker, state: "Done" } };
      },
    ],
    [
      "by the look at another one that it blocks",
      () => {
        const other = madeIssue("A-2", blockedBy({ ...blocker, state: "Done" }));
        return { type: "revalidated", workflow: W, ids: [other.id], issues: [other] };
      },
    ],
    [
      "by a look at itself",
      () => ({
        type: "revalidated",
        workflow: W,
        ids: [blocker.id],
        issues: [{ ...blocker, state: "Canceled" }],
      }),
    ],
    [
      "by the sweep",
      () => ({ type: "leftovers_found", workflow: W, issues: [{ ...blocker, state: "Done" }] }),
    ],
  ])("%s", (_, news) => {
    const bench = began();
    bench.say(news(bench));
    expect(asked(bench)).toContain(blocked.id);
  });

  test("by the end of its run", () => {
    const bench = new Bench(madePolicy({ agentsMax: 1 }));
    const first = { ...blocked, state: "Todo", priority: 1 };
    bench.scan(first, blocker, ...others);
    inTurn(bench, blocker);
    completeTurn(bench, blocker);
    bench.say({ type: "checked", ...bench.run(blocker), status: { ...blocker, state: "Done" } });
    exit(bench, { ...blocker, state: "Done" });
    expect(asked(bench)).toContain(first.id);
  });

  test("and so does one that a scan does not list any more", () => {
    const waiting = madeIssue("B-2");
    const bench = new Bench(madePolicy({ agentsMax: 1, agentsMaxByState: new Map([["todo", 1]]) }));
    const behind = madeIssue("A-3", { priority: 4, ...blockedBy(waiting) });
    const running = madeIssue("B-0", { state: "Todo", priority: 1 });
    bench.scan(behind);
    bench.scan(behind, running);
    bench.say({
      type: "polled",
      workflow: W,
      candidates: [running, waiting, behind].map(summaryOf),
      tookMs: 1,
    });
    bench.say({ type: "polled", workflow: W, candidates: [running, behind].map(summaryOf), tookMs: 1 });
    expect(bench.state.workflows.get(W)?.queue).toMatchObject([{ issue: { id: behind.id }, look: "first" }]);
  });
});

test("a blocker that is still at work frees nobody", () => {
  const bench = began();
  bench.say({ type: "refreshed", workflow: W, ids: [blocker.id], statuses: [blocker] });
  expect(asked(bench)).toEqual([]);
});

test("a blocker that could not be read frees nobody: nothing is known of it", () => {
  const bench = began();
  const unreadable = [{ id: blocker.id, error: "no title" }];
  bench.say({ type: "refreshed", workflow: W, ids: [blocker.id], statuses: [], unreadable });
  expect(asked(bench)).toEqual([]);
});

test("what is freed starts when the look shows that nothing else is in its way", () => {
  const bench = began();
  bench.say({ type: "refreshed", workflow: W, ids: [blocker.id], statuses: [{ ...blocker, state: "Done" }] });
  bench.answer(freed, ...others);
  expect(bench.claim(blocked)).toMatchObject({ phase: "running" });
});

test("candidates of another workflow are freed too, by its own terminal states", () => {
  const bench = twoWorkflows(2, 2);
  const theirs = madeIssue("O-1", { ...blockedBy(blocker) });
  bench.say({ type: "polled", workflow: OTHER, candidates: [summaryOf(theirs)], tookMs: 1 });
  bench.answer(theirs);
  bench.scan(blocker);
  expect(bench.state.workflows.get(OTHER)?.queue).toMatchObject([{ refusedAt: T0, look: "later" }]);
  bench.say({
    type: "refreshed",
    workflow: W,
    ids: [blocker.id],
    statuses: [{ ...blocker, state: "Merged" }],
  });
  expect(asked(bench)).toEqual([]);
  bench.say({ type: "refreshed", workflow: W, ids: [blocker.id], statuses: [{ ...blocker, state: "Done" }] });
  expect(asked(bench)).toEqual([theirs.id]);
});
