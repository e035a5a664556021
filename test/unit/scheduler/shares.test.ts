import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import type { WorkflowName } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { KEPT_MS, keptFor, shares } from "../../../src/scheduler/shares.ts";
import type { Lane } from "../../../src/scheduler/state.ts";
import {
  type Bench,
  OTHER,
  T0,
  W,
  madeCandidate,
  madeIssue,
  madeLane,
  madePolicy,
  madeRunning,
  madeState,
  summaryOf,
  twoWorkflows,
  madeHold,
} from "./made.ts";
import { exit } from "./played.ts";

const LOW = { priority: 4 };
const URGENT = { priority: 1 };

const laneOf = (workflow: WorkflowName, issues: readonly Issue[], more: Partial<Lane> = {}): Lane =>
  madeLane({
    policy: madePolicy({ workflow, agentsMax: 2 }),
    queue: issues.map((one) => madeCandidate(one)),
    ...more,
  });

const stateOf = (...lanes: readonly Lane[]) =>
  madeState(madeLane(), [], { workflows: new Map(lanes.map((lane) => [lane.policy.workflow, lane])) });

const polled = (bench: Bench, workflow: WorkflowName, ...issues: readonly Issue[]): void =>
  void bench.say({ type: "polled", workflow, candidates: issues.map(summaryOf), tookMs: 1 });

describe("free slots that several workflows want", () => {
  const [a1, a2] = [madeIssue("A-1", LOW), madeIssue("A-2", LOW)];
  const [b1, b2] = [madeIssue("B-1", URGENT), madeIssue("B-2", { priority: 3 })];

  test("go to the best tickets of all of them", () => {
    expect(shares(stateOf(laneOf(W, [a1, a2]), laneOf(OTHER, [b1])), T0)).toEqual(
      new Map([
        [OTHER, 1],
        [W, 1],
      ]),
    );
    expect(shares(stateOf(laneOf(W, [a1, a2]), laneOf(OTHER, [b1, b2])), T0)).toEqual(new Map([[OTHER, 2]]));
  });

  test("are for everybody who wants one when there are enough", () => {
    const one = madePolicy({ agentsMax: 1 });
    const lanes = [W, OTHER].map((workflow) => laneOf(workflow, [], { policy: { ...one, workflow } }));
    const most = laneOf("most" as WorkflowName, [], {
      policy: madePolicy({ agentsMax: 9, workflow: "most" as WorkflowName }),
      broken: "x",
    });
    expect(shares(stateOf(...lanes, most), T0)).toEqual(
      new Map([
        [W, 1],
        [OTHER, 1],
      ]),
    );
  });

  test.each<readonly [string, Partial<Lane>]>([
    ["is held", { hold: madeHold({ why: "w", until: after(T0, 1), refusals: 0, trial: null }) }],
    ["has a broken file", { broken: "line 3" }],
    ["has a tracker that fails", { revalidateAt: after(T0, 1) }],
  ])("are not kept for a workflow that %s", (_, more) => {
    const [main, other] = [laneOf(W, [a1, a2]), laneOf(OTHER, [b1, b2], more)];
    const state = stateOf(main, other);
    expect(shares(state, T0)).toEqual(new Map([[W, 2]]));
    expect(keptFor(state, main, a2, T0)).toEqual([]);
  });

  test("are not kept for the same ticket twice", () => {
    const state = stateOf(laneOf(W, [b1, a1]), laneOf(OTHER, [b1]));
    expect(shares(state, T0)).toEqual(new Map([[W, 2]]));
  });

  test("are given in turn to tickets that are equal in priority and age", () => {
    const equals = (key: string) => [1, 2, 3].map((n) => madeIssue(`${key}-${n}`));
    const of = (served: readonly [number, number]) =>
      shares(
        {
          ...stateOf(
            laneOf(W, equals("A"), { served: served[0] }),
            laneOf(OTHER, equals("B"), { served: served[1] }),
          ),
          runsEver: 9,
        },
        T0,
      );
    expect(of([7, 3])).toEqual(
      new Map([
        [OTHER, 1],
        [W, 1],
      ]),
    );
    expect([...of([7, 3]).keys()][0]).toBe(OTHER);
    expect([...of([3, 7]).keys()][0]).toBe(W);
  });

  test("are said to be kept for those that come first", () => {
    const main = laneOf(W, [a1, a2]);
    const state = stateOf(main, laneOf(OTHER, [b1, b2]));
    expect(keptFor(state, main, a1, T0).map(({ issue, workflow }) => [issue.identifier, workflow])).toEqual([
      ["B-1", OTHER],
      ["B-2", OTHER],
    ]);
    expect(keptFor(state, main, madeIssue("A-0", { priority: 2 }), T0)).toEqual([]);
  });
});

test("an urgent ticket of the second workflow has the slot whichever tracker answers first", () => {
  const bench = twoWorkflows(1, 1);
  const [low, urgent] = [madeIssue("A-1", LOW), madeIssue("B-1", URGENT)];
  polled(bench, W, low);
  const [first] = bench.take("revalidate");
  polled(bench, OTHER, urgent);
  expect(bench.take("revalidate")).toMatchObject([{ workflow: OTHER, ids: [urgent.id] }]);
  bench.say({ type: "revalidated", workflow: W, ids: first?.ids ?? [], issues: [low] });
  expect([bench.take("start"), bench.take("revalidate")]).toEqual([[], []]);
  bench.say({ type: "revalidated", workflow: OTHER, ids: [urgent.id], issues: [urgent] });
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["B-1"]);
});

test("equal tickets of two workflows start in turn", () => {
  const bench = twoWorkflows(1, 1);
  const issues = (key: string) => Array.from({ length: 3 }, (_, n) => madeIssue(`${key}-${n}`));
  const [ours, theirs] = [issues("A"), issues("B")];
  const board = [...ours, ...theirs];
  polled(bench, W, ...ours);
  polled(bench, OTHER, ...theirs);
  const order: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    bench.answer(...board);
    const [start] = bench.take("start");
    if (start === undefined) throw new Error("nothing starts");
    order.push(start.run.workflow);
    const done = { ...start.issue, state: "Done" };
    bench.say({ type: "refreshed", workflow: start.run.workflow, ids: [done.id], statuses: [done] });
    exit(bench, done);
  }
  expect(order).toEqual([W, OTHER, W, OTHER, W, OTHER]);
});

test("a workflow whose tracker does not answer keeps the others waiting for ten seconds, and no longer", () => {
  const bench = twoWorkflows(1, 1);
  const [low, urgent] = [madeIssue("A-1", LOW), madeIssue("B-1", URGENT)];
  polled(bench, OTHER, urgent);
  polled(bench, W, low);
  expect(bench.take("revalidate").map(({ workflow }) => workflow)).toEqual([OTHER]);
  bench.pass(KEPT_MS - 1);
  expect(bench.take("revalidate")).toEqual([]);
  bench.pass(1);
  expect(bench.take("revalidate")).toMatchObject([{ workflow: W, ids: [low.id] }]);
  bench.say({ type: "revalidated", workflow: W, ids: [low.id], issues: [low] });
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["A-1"]);
});

test("nor does one whose tracker fails keep them waiting with each new try", () => {
  const bench = twoWorkflows(1, 1);
  polled(bench, OTHER, madeIssue("B-1", URGENT));
  bench.take("revalidate");
  bench.pass(KEPT_MS);
  const error = { kind: "tracker_request", error: "no answer", retryAt: null };
  bench.say({ type: "revalidation_failed", workflow: OTHER, ...error });
  bench.pass(5_000);
  expect(bench.take("revalidate")).toMatchObject([{ workflow: OTHER }]);
  polled(bench, W, madeIssue("A-1", LOW));
  expect(bench.take("revalidate")).toMatchObject([{ workflow: W }]);
});

test("whatever is answered in whatever order, no ticket starts while a better one of another workflow is in line, and nobody asks in a circle", () => {
  const tickets = fc.array(
    fc.record({ other: fc.boolean(), priority: fc.integer({ min: 1, max: 4 }), blocked: fc.boolean() }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(
      tickets,
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
      (drawn, slots, picks) => {
        const bench = twoWorkflows(slots, slots);
        const board = drawn.map(({ other, priority, blocked }, n) => {
          const issue = madeIssue(`${other ? "B" : "A"}-${n}`, {
            priority,
            blockedBy: blocked ? [{ id: "x", identifier: "X-1", state: "Todo" }] : [],
          });
          return { issue, workflow: other ? OTHER : W, blocked };
        });
        const of = (workflow: WorkflowName) =>
          board.filter((one) => one.workflow === workflow).map(({ issue }) => issue);
        for (const workflow of [W, OTHER]) polled(bench, workflow, ...of(workflow));
        const open = [...bench.take("revalidate")];
        let asked = 0;
        for (let n = 0; open.length > 0; n += 1) {
          asked += 1;
          const [work] = open.splice((picks[n % picks.length] ?? 0) % open.length, 1);
          if (work === undefined) break;
          const issues = of(work.workflow).filter(({ id }) => work.ids.includes(id));
          bench.say({ type: "revalidated", workflow: work.workflow, ids: work.ids, issues });
          open.push(...bench.take("revalidate"));
          if (asked > 30) throw new Error("it goes round in circles");
        }
        const started = bench.take("start").map(({ issue, run }) => ({ ...issue, workflow: run.workflow }));
        const ready = board.filter(({ blocked }) => !blocked);
        expect(started).toHaveLength(Math.min(slots, ready.length));
        const best = ready
          .map(({ issue }) => issue.priority ?? 5)
          .sort((a, b) => a - b)
          .slice(0, started.length);
        if (new Set(drawn.map(({ other }) => other)).size === 2)
          expect(started.map(({ priority }) => priority ?? 5).sort((a, b) => a - b)).toEqual(best);
      },
    ),
    { numRuns: 200 },
  );
});

test("a run of another workflow under way takes a shared slot from both", () => {
  const state = stateOf(laneOf(W, [madeIssue("A-1")]), laneOf(OTHER, [madeIssue("B-1", URGENT)]));
  const busy = { ...state, claims: madeState(madeLane(), [madeRunning(madeIssue("C-1"))]).claims };
  expect(shares(busy, T0)).toEqual(new Map([[OTHER, 1]]));
});
