import { expect, test } from "vitest";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { DAY_MS, after, instant } from "../../../src/domain/time.ts";
import { gateDeadlines, startGate, turnGate } from "../../../src/scheduler/gates.ts";
import type { Hold, Lane, State } from "../../../src/scheduler/state.ts";
import { runId } from "../../../src/domain/run.ts";
import {
  Bench,
  OTHER,
  T0,
  W,
  madeIssue,
  madeLane,
  madePolicy,
  madeHold,
  madeState,
  scanOf,
  twoWorkflows,
} from "./made.ts";

const held = (more: Partial<Hold> = {}): Hold =>
  madeHold({ why: "used up", until: after(T0, 1), refusals: 0, ...more });
const pause = { why: "freeze", since: T0, until: null };
const spent = { day: Math.floor(T0 / DAY_MS), tokens: 100 };
const daily = (maxTokensPerDay: number) => ({ policy: madePolicy({ limits: { maxTokensPerDay } }) });

/** What stands before a start and before a further turn, in words; null = nothing does. */
const GATES: readonly (readonly [
  string,
  Partial<Lane>,
  Partial<State>,
  start: string | null,
  turn: string | null,
])[] = [
  ["nothing", {}, {}, null, null],
  [
    "a broken file",
    { broken: "line 1\nline 2" },
    {},
    "its WORKFLOW.md cannot be used since the last change: line 1",
    null,
  ],
  ["a full disk", { diskLow: "1 GiB is free" }, {}, "1 GiB is free", null],
  ["a rate limit", { limitSaidAt: T0 }, {}, "the tracker's rate limit is used up", null],
  ["a drain", {}, { phase: "draining" }, "Baton is draining", "Baton is draining"],
  [
    "a pause of everything",
    {},
    { pauses: new Map([[EVERYTHING, pause]]) },
    "it is paused: freeze",
    "it is paused: freeze",
  ],
  [
    "a pause of the workflow",
    {},
    { pauses: new Map([[W, pause]]) },
    "it is paused: freeze",
    "it is paused: freeze",
  ],
  ["a pause of another workflow", {}, { pauses: new Map([[OTHER, pause]]) }, null, null],
  [
    "a hold",
    { hold: held() },
    {},
    "the provider takes no work: used up",
    "the provider takes no work: used up",
  ],
  [
    "a hold for what lets no run begin: those that have begun go on",
    { hold: held({ cause: "installation" }) },
    {},
    "no run can begin here: used up",
    null,
  ],
  [
    "a hold for issues that fail alike",
    { hold: held({ cause: "systemic" }) },
    {},
    "several runs in a row failed alike: used up",
    null,
  ],
  ["a hold that is over", { hold: held({ until: T0 }) }, {}, null, null],
  [
    "a trial",
    { hold: held({ until: T0, trial: runId("r1") }) },
    {},
    "one run tries whether this is over: used up",
    null,
  ],
  [
    "the day's tokens",
    daily(100),
    { spent },
    "today's 100 tokens are used up (limits.max_tokens_per_day)",
    "today's 100 tokens are used up (limits.max_tokens_per_day)",
  ],
  ["tokens of another day", daily(100), { spent: { ...spent, day: spent.day - 1 } }, null, null],
  ["tokens that are left", daily(101), { spent }, null, null],
];

test.each(GATES)("what stands in the way: %s", (_what, lane, more, start, turn) => {
  const known = madeLane(lane);
  const state = madeState(known, [], more);
  expect(startGate(state, known, T0)).toBe(start);
  expect(turnGate(state, known, T0)).toBe(turn);
});

test("the alarm knows when a gate opens by itself: a pause, a hold, a day", () => {
  const until = after(T0, 5);
  const state = madeState(madeLane({ hold: held(), ...daily(1) }), [], {
    pauses: new Map([[W, { ...pause, until }]]),
  });
  const midnight = instant((spent.day + 1) * DAY_MS);
  expect(gateDeadlines(state, T0)).toEqual([until, after(T0, 1), midnight]);
});

test("one workflow's trouble is not the other's: a broken file, a hold, a full disk", () => {
  const bench = twoWorkflows(3, 3);
  bench.say({ type: "misconfigured", workflow: OTHER, error: "line 1" });
  bench.say({ type: "disk_checked", workflow: OTHER, low: "full" });
  scanOf(bench, OTHER, madeIssue("B-1"));
  scanOf(bench, W, madeIssue("A-1"));
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["A-1"]);
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
