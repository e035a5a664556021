import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { byDispatchOrder, freeSlots, freeSlotsInState, refusal } from "../../../src/scheduler/eligible.ts";
import { after } from "../../../src/domain/time.ts";
import {
  OTHER,
  T0,
  W,
  madeIssue,
  madeLane,
  madePolicy,
  madeRunning,
  madeState,
  scanOf,
  summaryOf,
  twoWorkflows,
} from "./made.ts";

describe("an issue may start", () => {
  const by = (state: string | null) => ({ blockedBy: [{ id: "b", identifier: "B-1", state }] });
  const cases: readonly (readonly [string, Partial<Issue>, string | null])[] = [
    ["when it is active, labelled and nothing blocks it", {}, null],
    ["in any spelling of an active state", { state: " todo " }, null],
    ["with a blocker that is done", by("Done"), null],
    ["under way, whatever blocks it", { state: "In Progress", ...by("Todo") }, null],
    ["not with a blocker that is not done", by("Todo"), "it is blocked by B-1"],
    ["not with a blocker of which nobody knows the state", by(null), "it is blocked by B-1"],
    ["not when it is done", { state: "Done" }, 'its state "Done" is terminal'],
    ["not in another state", { state: "Backlog" }, 'its state "Backlog" is not an active one'],
    ["not without a label", { labels: ["other"] }, 'it lacks the label "baton"'],
    [
      "not when it is somebody else's",
      { dispatchable: false },
      "the tracker says that nobody may work on it here",
    ],
    ["not without a title", { title: "" }, "it has no identifier or no title"],
  ];
  test("not when a blank label is required", () => {
    const policy = madePolicy({ requiredLabels: ["baton", ""] });
    for (const labels of [["baton"], ["baton", ""]])
      expect(refusal(madeIssue("A-1", { labels }), policy)).toContain("a blank label is required");
  });

  test.each(cases)("%s", (_when, more, why) => {
    expect(refusal(madeIssue("A-1", more), madePolicy())).toBe(why);
  });
});

test("priority 1 to 4 and then none, the oldest, the identifier: so the best come first", () => {
  const old = after(T0, -1_000);
  const best = [
    madeIssue("A-5", { priority: 1 }),
    madeIssue("A-4", { priority: 4, createdAt: old }),
    madeIssue("A-3", { priority: 4 }),
    madeIssue("A-2", { createdAt: old }),
    madeIssue("A-1"),
    madeIssue("A-6"),
    madeIssue("A-0", { createdAt: null }),
  ].map(summaryOf);
  expect(best.toReversed().sort(byDispatchOrder)).toEqual(best);
});

describe("slots", () => {
  const running = ["A-1", "A-2", "A-3"].map((key) => madeRunning(madeIssue(key)));
  const lane = (agentsMax: number, todo?: number) =>
    madeLane({
      policy: madePolicy({
        agentsMax,
        agentsMaxByState: new Map(todo === undefined ? [] : [["todo", todo]]),
      }),
    });

  test("are never less than none, also after their number was lowered", () => {
    for (const [max, left] of [
      [5, 2],
      [3, 0],
      [1, 0],
    ] as const)
      expect(freeSlots(madeState(lane(max), running), lane(max))).toBe(left);
  });

  test("of a state are those of its cap, in any spelling, and without one as many as there are", () => {
    const state = madeState(lane(9, 4), running);
    expect(freeSlotsInState(state, lane(9, 4), " TODO")).toBe(1);
    expect(freeSlotsInState(state, lane(9, 2), "Todo")).toBe(0);
    expect(freeSlotsInState(state, lane(9, 2), "In Progress")).toBe(Number.POSITIVE_INFINITY);
  });
});

test("all workflows share as many slots as the most generous has, and each keeps to its own number", () => {
  const bench = twoWorkflows(4, 2);
  scanOf(bench, W, ...[1, 2, 3].map((n) => madeIssue(`A-${n}`)));
  scanOf(bench, OTHER, ...[1, 2, 3].map((n) => madeIssue(`B-${n}`)));
  const running = [...bench.state.claims.running.values()].map(({ issue }) => issue.identifier);
  expect(running).toEqual(["A-1", "A-2", "A-3", "B-1"]);
});
