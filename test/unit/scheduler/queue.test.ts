import { expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { workflowName } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { initialState } from "../../../src/scheduler/decide.ts";
import type { Refusal } from "../../../src/scheduler/state.ts";
import { Bench, T0, W, madeIssue, madePolicy, summaryOf } from "./made.ts";
import { exit, inTurn } from "./played.ts";

const blockedBy = (id: string) => ({ blockedBy: [{ id, identifier: id.toUpperCase(), state: "Todo" }] });
const numbered = (count: number, more: Partial<Issue> = {}): readonly Issue[] =>
  Array.from({ length: count }, (_, n) => madeIssue(`A-${String(n).padStart(4, "0")}`, more));

const polled = (bench: Bench, ...issues: readonly Issue[]): void =>
  void bench.say({ type: "polled", workflow: W, candidates: issues.map(summaryOf), tookMs: 1 });

/** Answers what is asked until nothing is, and counts the questions. */
function answer(bench: Bench, issues: readonly Issue[]): number {
  let asked = 0;
  for (let [work] = bench.take("revalidate"); work !== undefined; [work] = bench.take("revalidate")) {
    asked += 1;
    const { workflow, ids } = work;
    bench.say({ type: "revalidated", workflow, ids, issues: issues.filter(({ id }) => ids.includes(id)) });
  }
  return asked;
}

test("a ready ticket behind a thousand blocked ones starts with one slot after a hundred questions, within one scan", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const ready = madeIssue("B-1", { priority: 4 });
  const board = [...numbered(1_000, { priority: 1, ...blockedBy("b") }), ready];
  polled(bench, ...board);
  expect(answer(bench, board)).toBe(101);
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["B-1"]);
});

test("ten are looked at however few slots there are, and the best of those that may start has the slot", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const board = numbered(30);
  polled(bench, ...board);
  expect(bench.take("revalidate").map(({ ids }) => ids.length)).toEqual([10]);
  polled(bench, ...board);
  const ids = board.slice(0, 10).map(({ id }) => id);
  bench.say({ type: "revalidated", workflow: W, ids, issues: board.slice(0, 10) });
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["A-0000"]);
});

test("those found ready stay in line as they are, and are asked for alone when a slot is free", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const board = numbered(30);
  polled(bench, ...board);
  answer(bench, board);
  const [first] = board;
  if (first === undefined) throw new Error("no first");
  exit(bench, first, ["port_exit", "it died"]);
  expect(bench.take("revalidate").map(({ ids }) => ids)).toEqual([[board[1]?.id]]);
});

test("one that has changed since it was refused is looked at before others", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const busy = madeIssue("B-1", { state: "In Progress" });
  const blocked = madeIssue("Z-1", { ...blockedBy("b"), priority: 4 });
  polled(bench, busy, blocked);
  answer(bench, [busy, blocked]);
  // Another board's worth of urgent and blocked tickets comes, and somebody edits the one that was refused.
  const urgent = numbered(500, { priority: 1, ...blockedBy("c") });
  const edited = { ...blocked, blockedBy: [], updatedAt: after(T0, 1) };
  inTurn(bench, busy);
  polled(bench, busy, ...urgent, edited);
  exit(bench, busy, ["port_exit", "it died"]);
  expect(answer(bench, [...urgent, edited])).toBe(1);
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toContain("Z-1");
});

test("however many have changed, the best that were never looked at are among the next ten", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const refused = numbered(40, blockedBy("b"));
  polled(bench, ...refused);
  answer(bench, refused);
  const edited = refused.map((issue) => ({ ...issue, updatedAt: after(T0, 1) }));
  const urgent = madeIssue("Z-1", { priority: 1 });
  polled(bench, ...edited, urgent);
  answer(bench, [...edited, urgent]);
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["Z-1"]);
});

test("while there is no slot refusals are not forgotten: no more than ten have their turn", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const busy = madeIssue("Z-1");
  const blocked = numbered(200, blockedBy("b"));
  const board = [...blocked, busy];
  polled(bench, ...board);
  answer(bench, board);
  for (let scans = 0; scans < 30; scans += 1) polled(bench, ...board);
  exit(bench, busy, ["port_exit", "it died"]);
  expect(answer(bench, board)).toBe(1);
});

test("a look at each in its turn finds out what no scan shows", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const board = numbered(25, blockedBy("b"));
  polled(bench, ...board);
  answer(bench, board);
  for (let scans = 0; scans < 3; scans += 1) {
    polled(bench, ...board);
    expect(answer(bench, scans < 2 ? board : board.map((issue) => ({ ...issue, blockedBy: [] })))).toBe(1);
  }
  expect(bench.take("start")).toHaveLength(1);
});

test("refusals are written down when nobody is left to look at, as they are then, and not again", () => {
  const bench = new Bench();
  const [one, two] = [madeIssue("A-1", blockedBy("b")), madeIssue("A-2", blockedBy("b"))];
  const written = (): readonly unknown[] =>
    bench.take("revalidate").flatMap(({ workflow, ids }) => {
      const issues = [one, two].filter(({ id }) => ids.includes(id));
      return bench
        .say({ type: "revalidated", workflow, ids, issues })
        .records.filter(({ type }) => type === "refusals");
    });
  polled(bench, one, two);
  const refusal = { at: T0, state: "Todo", updatedAt: T0, blockers: ["b"] };
  const both = new Map([one, two].map(({ id }) => [id, refusal]));
  expect(written()).toEqual([{ type: "refusals", workflow: W, refusals: both }]);
  polled(bench, one, two);
  expect(written()).toEqual([]);
  const { records } = bench.say({ type: "polled", workflow: W, candidates: [summaryOf(one)], tookMs: 1 });
  expect(records).toEqual([{ type: "refusals", workflow: W, refusals: new Map([[one.id, refusal]]) }]);
});

test("no more than a thousand refusals are written down", () => {
  const bench = new Bench();
  const board = numbered(1_005, blockedBy("b"));
  polled(bench, ...board);
  let kept = 0;
  for (let [work] = bench.take("revalidate"); work !== undefined; [work] = bench.take("revalidate")) {
    const issues = board.filter(({ id }) => work?.ids.includes(id));
    for (const record of bench.say({ type: "revalidated", workflow: W, ids: work.ids, issues }).records)
      if (record.type === "refusals") kept = record.refusals.size;
  }
  expect(kept).toBe(1_000);
});

test("a start looks first at what was not refused before it, and at what has changed since", () => {
  const refused = numbered(100, blockedBy("b"));
  const refusal: Refusal = { at: T0, state: "Todo", updatedAt: T0, blockers: ["b"] };
  const remembered = new Map(refused.map(({ id }) => [id, refusal]));
  const bench = new Bench(madePolicy({ agentsMax: 1 }), {
    ...initialState,
    refusals: new Map([
      [W, remembered],
      [workflowName("other"), remembered],
    ]),
  });
  const ready = madeIssue("Z-1", { priority: 4 });
  polled(bench, ...refused, ready);
  // Ten of them have their turn, as with every scan.
  expect(answer(bench, [...refused, ready])).toBeLessThanOrEqual(2);
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["Z-1"]);
});
