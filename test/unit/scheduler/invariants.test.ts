import { describe, expect, test } from "vitest";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { runId, threadId } from "../../../src/domain/run.ts";
import { DAY_MS, after, instant } from "../../../src/domain/time.ts";
import { beginWithin } from "../../../src/scheduler/begin.ts";
import { nothing } from "../../../src/scheduler/change.ts";
import { Claims } from "../../../src/scheduler/claims.ts";
import type { Decision, LedgerRecord, Work } from "../../../src/scheduler/effects.ts";
import { violations } from "../../../src/scheduler/invariants.ts";
import type { Claim, Lane, State } from "../../../src/scheduler/state.ts";
import {
  T0,
  W,
  madeIssue,
  madeLane,
  madeParked,
  madePolicy,
  madeRunning,
  madeState,
  madeWaiting,
  madeHold,
} from "./made.ts";
import { tokens } from "./played.ts";

const ISSUE = madeIssue("A-1");
const CHILD = { thread: threadId("child"), total: tokens(3) };
const RUNNING = madeRunning(ISSUE, { tokens: tokens(5), threadTotal: tokens(9), children: [CHILD] });
const LANE = madeLane();
const START = { issue: ISSUE, attempt: null, kind: "first" } as const;

/** A run that begins as it should, in a state that may be another one afterwards. */
function begun(lane: Partial<Lane> = {}, more: Partial<State> = {}, others: readonly Claim[] = []) {
  const before = madeState(LANE, others);
  const decision = beginWithin(nothing(before), LANE, START, T0);
  const own = decision.state.workflows.get(W) ?? LANE;
  const state = { ...decision.state, workflows: new Map([[W, { ...own, ...lane }]]), ...more };
  return { before, decision: { ...decision, state } };
}

const without = (decision: Decision, type: LedgerRecord["type"]): Decision => ({
  ...decision,
  records: decision.records.filter((record) => record.type !== type),
});

const ended = (id: string): LedgerRecord => ({
  type: "run_ended",
  runId: runId(id),
  ending: { outcome: "completed", failure: null },
  turns: 1,
  tokens: tokens(5),
  at: T0,
});

const turn = (of: Claim, number: number): Work => ({
  type: "turn",
  runId: of.phase === "running" ? of.run.id : runId("r-0"),
  turn: number,
  turnsMax: 3,
  issue: of.issue,
});

const from = (
  before: State,
  change: Partial<Decision> & { readonly claims?: readonly Claim[] },
): Decision => {
  const { claims, ...more } = change;
  const state = claims === undefined ? before : { ...before, claims: Claims.of(claims) };
  return { ...nothing(state), ...more };
};

describe("a start", () => {
  test("that is as it should be breaks nothing", () => {
    const { before, decision } = begun();
    expect(violations(before, decision)).toEqual([]);
  });

  test.each(["run_started", "claim"] as const)("without the record %s breaks I4", (type) => {
    const { before, decision } = begun();
    expect(violations(before, without(decision, type))).toEqual(["I4: r1 starts before it is recorded"]);
  });

  test("of an issue whose run lives breaks I1", () => {
    const { decision } = begun();
    const before = madeState(LANE, [RUNNING]);
    expect(violations(before, decision)).toContain("I1: r1 starts while r-A-1 lives");
  });

  test("whose claim is not there breaks I1", () => {
    const { before, decision } = begun();
    const lost = { ...decision, state: { ...decision.state, claims: Claims.of([]) } };
    expect(violations(before, lost)).toContain("I1: r1 starts without a claim");
  });

  test("of a run that lives under another issue breaks I1", () => {
    const twin = madeRunning(madeIssue("A-2"));
    const { before, decision } = begun({}, {}, [{ ...twin, run: { ...twin.run, id: runId("r1") } }]);
    expect(violations(before, decision)).toContain("I1: one run is live under two issues");
  });

  test("above a cap breaks I2", () => {
    const others = ["B-1", "B-2", "B-3"].map((key) => madeRunning(madeIssue(key)));
    const { before, decision } = begun({}, {}, others);
    expect(violations(before, decision)).toEqual([
      "I2: more runs than shared slots",
      'I2: "main" has more runs than slots',
    ]);
    const capped = { policy: madePolicy({ agentsMaxByState: new Map([["todo", 1]]) }) };
    const one = begun(capped, {}, others.slice(0, 1));
    expect(violations(one.before, one.decision)).toEqual(['I2: "main" has too many runs in state "todo"']);
  });

  const day = Math.floor(T0 / DAY_MS);
  const pause = { why: "freeze", since: T0, until: null };
  const SHUT: readonly (readonly [string, Partial<Lane>, Partial<State>])[] = [
    ["Baton is draining", {}, { phase: "draining" }],
    ["its workflow is broken", { broken: "line 1" }, {}],
    ["the disk takes no work", { diskLow: "full" }, {}],
    [
      "the provider takes no work",
      { hold: madeHold({ why: "no", until: after(T0, 1), refusals: 0, trial: null }) },
      {},
    ],
    [
      "the provider takes no work",
      { hold: madeHold({ why: "no", until: T0, refusals: 0, trial: runId("r0") }) },
      {},
    ],
    ["it is paused", {}, { pauses: new Map([[EVERYTHING, pause]]) }],
    ["it is paused", {}, { pauses: new Map([[W, pause]]) }],
    [
      "the day's tokens are used up",
      { policy: madePolicy({ limits: { maxTokensPerDay: 5 } }) },
      { spent: { day, tokens: 5 } },
    ],
  ];
  test.each(SHUT)("while %s breaks I8", (why, lane, more) => {
    const { before, decision } = begun(lane, more);
    expect(violations(before, decision)).toEqual([`I8: r1 starts while ${why}`]);
  });

  test("after a hold, by the one run that tries, breaks nothing", () => {
    const hold = madeHold({ why: "no", until: T0, refusals: 0, trial: runId("r1") });
    const { before, decision } = begun({ hold });
    expect(violations(before, decision)).toEqual([]);
  });
});

describe("a turn", () => {
  const before = madeState(LANE, [RUNNING]);
  const pauses = new Map([[W, { why: "freeze", since: T0, until: null }]]);

  test("of no live run breaks I8", () => {
    expect(violations(madeState(LANE), from(madeState(LANE), { work: [turn(RUNNING, 2)] }))).toEqual([
      "I8: a turn of r-A-1 begins without a claim",
    ]);
  });

  test("that is not the first breaks I8 while it is paused, or Baton is stopping", () => {
    const paused = from({ ...before, pauses }, { work: [turn(RUNNING, 2)] });
    expect(violations(before, paused)).toEqual(["I8: a turn of r-A-1 begins while it is paused"]);
    const stopping = from({ ...before, phase: "stopping" }, { work: [turn(RUNNING, 2)] });
    expect(violations(before, stopping)).toEqual(["I8: a turn of r-A-1 begins while Baton is stopping"]);
    const first = from({ ...before, pauses }, { work: [turn(RUNNING, 1)] });
    expect(violations(before, first)).toEqual([]);
  });
});

describe("a claim", () => {
  const BROKEN: readonly (readonly [string, Claim])[] = [
    ["I3: A-1 waits for ever", madeWaiting(ISSUE, { retryAt: instant(Number.POSITIVE_INFINITY) })],
    ["I3: A-1 is parked without a way out", madeParked(ISSUE, { wayOut: "" })],
    ["I3: A-1 is parked without a way out", madeParked(ISSUE, { why: "" })],
    ["I3: r-A-1 is ending for no reason", madeRunning(ISSUE, { step: "ending" })],
  ];
  test.each(BROKEN)("that is not whole is found when it was touched: %s", (words, claim) => {
    const before = madeState(LANE, [madeRunning(ISSUE)]);
    const records = claim.phase === "running" ? [] : [ended("r-A-1")];
    const decision = from(before, { claims: [claim], records });
    expect(violations(before, decision)).toEqual([words]);
    expect(violations(before, decision, "at what was touched")).toEqual([words]);
  });

  test.each(BROKEN)("that was not touched is found by a look at all: %s", (words, claim) => {
    const state = madeState(LANE, [claim]);
    expect(violations(state, nothing(state))).toEqual([words]);
    expect(violations(state, nothing(state), "at what was touched")).toEqual([]);
  });
});

describe("the end of a run", () => {
  const before = madeState(LANE, [RUNNING]);
  const gone = { claims: [] };

  test("is written exactly once (I5)", () => {
    expect(violations(before, from(before, { ...gone, records: [ended("r-A-1")] }))).toEqual([]);
    expect(violations(before, from(before, gone))).toEqual(["I5: r-A-1 has 0 endings and is gone"]);
    const twice = from(before, { ...gone, records: [ended("r-A-1"), ended("r-A-1")] });
    expect(violations(before, twice)).toEqual(["I5: r-A-1 has 2 endings and is gone"]);
  });

  test("is not written of one that lives (I5)", () => {
    const lives = from(before, { records: [ended("r-A-1")] });
    expect(violations(before, lives)).toEqual(["I5: r-A-1 has 1 endings and lives"]);
  });
});

test("tokens and marks of a live run never shrink (I6)", () => {
  const before = madeState(LANE, [RUNNING]);
  const smaller = { children: [{ ...CHILD, total: tokens(2) }] };
  for (const less of [{ tokens: tokens(4) }, { threadTotal: tokens(8) }, smaller, { children: [] }]) {
    const decision = from(before, { claims: [{ ...RUNNING, ...less }] });
    for (const looked of ["at all", "at what was touched"] as const)
      expect(violations(before, decision, looked)).toEqual(["I6: the tokens of r-A-1 shrank"]);
  }
});
