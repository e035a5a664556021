import fc from "fast-check";
import { expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { EVERYTHING } from "../../../src/domain/order.ts";
import { noTokens, runId } from "../../../src/domain/run.ts";
import { DAY_MS, after } from "../../../src/domain/time.ts";
import { decide } from "../../../src/scheduler/decide.ts";
import { explain } from "../../../src/scheduler/explain.ts";
import { PersistentMap } from "../../../src/scheduler/persistent-map.ts";
import type { Claim, Lane, State } from "../../../src/scheduler/state.ts";
import { newTally } from "../../../src/scheduler/tally.ts";
import {
  OTHER,
  T0,
  W,
  madeCandidate,
  madeHold,
  madeIssue,
  madeLane,
  madeParked,
  madePolicy,
  madeRunning,
  madeState,
  madeWaiting,
} from "./made.ts";

/** Mostly what lets a start through: with all of them at random, hardly anything would ever start. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const SUBJECT = madeIssue("A-1");

const issues: fc.Arbitrary<Issue | undefined> = fc
  .record({
    there: mostly(true, false),
    state: mostly("Todo", "In Progress", "Done", "In Review", "todo "),
    labels: mostly<readonly string[]>(["baton"], [], ["Baton"], ["baton", "x"]),
    dispatchable: mostly(true, false),
    title: mostly("a title", ""),
    blockedBy: mostly<Issue["blockedBy"]>(
      [],
      [{ id: "b", identifier: "B-1", state: "Todo" }],
      [{ id: "b", identifier: "B-1", state: "Done" }],
      [{ id: null, identifier: null, state: null }],
    ),
  })
  .map(({ there, ...issue }) => (there ? { ...SUBJECT, ...issue } : undefined));

const held = (until: number, trial: string | null) =>
  madeHold({
    why: "used up",
    until: after(T0, until),
    refusals: 0,
    trial: trial === null ? null : runId(trial),
  });

const lanes: fc.Arbitrary<Lane> = fc
  .record({
    broken: mostly<string | null>(null, "line 1"),
    diskLow: mostly<string | null>(null, "1 GiB is free"),
    limitSaidAt: mostly<Lane["limitSaidAt"]>(null, T0),
    revalidateAt: mostly<Lane["revalidateAt"]>(T0, after(T0, 1), after(T0, -1)),
    lookLater: fc.constant("used up for the moment"),
    doubts: mostly<Lane["doubts"]>(
      new Map(),
      new Map([[SUBJECT.id, { why: "HTTP 500", times: 2, again: after(T0, 1) }]]),
      new Map([[SUBJECT.id, { why: null, times: 1, again: after(T0, 1) }]]),
      new Map([[SUBJECT.id, { why: "HTTP 500", times: 2, again: T0 }]]),
      new Map([[madeIssue("Z-1").id, { why: "HTTP 500", times: 2, again: after(T0, 1) }]]),
    ),
    hold: mostly<Lane["hold"]>(
      null,
      held(1, null),
      held(0, null),
      held(-1, null),
      held(0, "r9"),
      held(5, "r9"),
      madeHold({ cause: "installation", kind: "codex_unfit", until: after(T0, 1) }),
      madeHold({ cause: "installation", kind: "codex_unfit", until: after(T0, -1) }),
    ),
    fit: mostly<Lane["fit"]>(
      { lookAt: null, looking: false, waitUntil: null },
      { lookAt: T0, looking: true, waitUntil: after(T0, 1) },
      { lookAt: T0, looking: true, waitUntil: T0 },
    ),
    agentsMax: fc.integer({ min: 0, max: 3 }),
    perState: mostly<readonly (readonly [string, number])[]>([], [["todo", 1]], [["in progress", 0]]),
    maxTokensPerDay: mostly<number | null>(null, 100, 101),
  })
  .map(({ agentsMax, perState, maxTokensPerDay, ...lane }) =>
    madeLane({
      ...lane,
      policy: madePolicy({ agentsMax, agentsMaxByState: new Map(perState), limits: { maxTokensPerDay } }),
    }),
  );

const claims: fc.Arbitrary<readonly Claim[]> = fc
  .record({
    own: mostly<Claim | null>(
      null,
      madeWaiting(SUBJECT, { retryAt: T0 }),
      madeWaiting(SUBJECT, { retryAt: after(T0, 1) }),
      madeWaiting(SUBJECT, { retryAt: T0, workflow: OTHER }),
      madeParked(SUBJECT),
      madeParked(SUBJECT, { issue: { ...SUBJECT, state: "Rework" } }),
      madeRunning(SUBJECT),
      madeRunning(SUBJECT, { workflow: OTHER }),
    ),
    others: fc.subarray([
      madeRunning(madeIssue("C-1")),
      madeRunning(madeIssue("C-2", { state: "In Progress" })),
      madeRunning(madeIssue("C-3"), { workflow: OTHER }),
    ]),
  })
  .map(({ own, others }) => [...(own === null ? [] : [own]), ...others]);

const pause = { why: "freeze", since: T0, until: null };
const tallies = [
  { ...newTally, runs: 15 },
  { ...newTally, runs: 15, extraRuns: 1 },
  { ...newTally, idle: 3 },
  { ...newTally, failures: 10 },
  { ...newTally, tokens: { ...noTokens, total: 1_000_000 } },
];

const rests: fc.Arbitrary<Partial<State>> = fc.record({
  phase: mostly<State["phase"]>("serving", "starting", "draining", "stopping", "stopped"),
  pauses: mostly<State["pauses"]>(
    new Map(),
    new Map([[EVERYTHING, pause]]),
    new Map([[W, pause]]),
    new Map([[OTHER, pause]]),
  ),
  spent: mostly<State["spent"]>({ day: 0, tokens: 0 }, { day: Math.floor(T0 / DAY_MS), tokens: 100 }),
  tallies: mostly<State["tallies"]>(
    PersistentMap.of([]),
    ...tallies.map((tally) => PersistentMap.of([[SUBJECT.id, tally]] as const)),
  ),
});

const RUNS = { numRuns: 4_000 };

/** What the other workflow has in line. */
const queues = mostly<Lane["queue"]>(
  [],
  [madeCandidate(madeIssue("O-1", { priority: 1 })), madeCandidate(madeIssue("O-2", { priority: 1 }))],
);

test("an issue starts exactly when the explanation says that every gate is open", () => {
  let started = 0;
  fc.assert(
    fc.property(issues, lanes, claims, rests, queues, (issue, lane, claims, rest, queue) => {
      // As a scan has just shown it, like its claim.
      const seen = issue ?? SUBJECT;
      const of = claims.map((claim) =>
        claim.issue.id === SUBJECT.id && claim.phase === "waiting" ? { ...claim, issue: seen } : claim,
      );
      const listed = of.some((claim) => claim.issue.id === SUBJECT.id) ? [] : [madeCandidate(seen)];
      const state = madeState({ ...lane, queue: listed }, of, rest);
      const workflows = new Map(state.workflows).set(
        OTHER,
        madeLane({ policy: madePolicy({ workflow: OTHER }), queue }),
      );
      const known = { ...state, workflows };
      const { work } = decide(known, {
        type: "revalidated",
        workflow: W,
        ids: [SUBJECT.id],
        issues: issue === undefined ? [] : [issue],
        at: T0,
      });
      const isAsked = decide(known, { type: "woke", at: T0 }).work.some(
        (task) => task.type === "revalidate" && task.workflow === W && task.ids.includes(SUBJECT.id),
      );
      const starts = isAsked && work.some((task) => task.type === "start" && task.issue.id === SUBJECT.id);
      const { gates, verdict } = explain(known, { workflow: W, id: SUBJECT.id, issue: issue ?? "gone" }, T0);
      expect(gates.every(({ open }) => open === true)).toBe(starts);
      expect(verdict.startsWith("Nothing stands in its way")).toBe(starts);
      if (starts) started += 1;
    }),
    RUNS,
  );
  // Both answers are given often enough to mean something.
  expect(started).toBeGreaterThan(RUNS.numRuns / 20);
  expect(started).toBeLessThan((RUNS.numRuns * 19) / 20);
});

const gateOf = (name: string, state: State, issue: Issue | "gone" | "unknown" = SUBJECT) =>
  explain(state, { workflow: W, id: SUBJECT.id, issue }, T0).gates.find((gate) => gate.name === name);

test("a shut gate says why, an open one what it found", () => {
  const state = madeState(madeLane());
  expect(gateOf("label", state)).toEqual({
    name: "label",
    open: true,
    value: 'it has "baton"',
    opensAt: null,
  });
  expect(gateOf("label", state, { ...SUBJECT, labels: [] })).toMatchObject({
    open: false,
    value: 'it lacks the label "baton"',
  });
  const blocker = { id: "b", identifier: "B-1", state: "Done" };
  expect(gateOf("blockers", state, { ...SUBJECT, blockedBy: [blocker] })?.value).toBe('B-1 is "Done"');
  expect(gateOf("limits", state)?.value).toContain("0 of 15 runs");
  const busy = madeState(madeLane({ policy: madePolicy({ agentsMax: 1 }) }), [madeRunning(madeIssue("C-1"))]);
  expect(gateOf("workflow slots", busy)).toMatchObject({ open: false });
  expect(gateOf("state slots", busy)?.value).toBe("no limit for this state");
});

test("an issue that is put off says what was seen, and when it is asked for again; so does a look that has to wait", () => {
  const again = after(T0, 60_000);
  const put = (why: string | null) =>
    madeState(madeLane({ doubts: new Map([[SUBJECT.id, { why, times: 3, again }]]) }));
  expect(gateOf("look", put("Linear answered with HTTP 500"))).toEqual({
    name: "look",
    open: false,
    value:
      "it could not be read 3 times in a row, and is asked for again by itself: Linear answered with HTTP 500",
    opensAt: again,
  });
  expect(gateOf("look", put(null))).toMatchObject({
    value: "the last answer left it out, and it is asked for once more",
    opensAt: again,
  });
  expect(gateOf("look", madeState(madeLane({ revalidateAt: again, lookLater: "used up" })))).toMatchObject({
    open: false,
    value: "used up",
    opensAt: again,
  });
  expect(gateOf("look", madeState(madeLane()))).toMatchObject({ open: true, opensAt: null });
});

test("what is not to be worked on here says where it is", () => {
  const away = { ...SUBJECT, dispatchable: false, whyNot: 'it is in another project ("mobile")' };
  expect(gateOf("dispatchable", madeState(madeLane()), away)?.value).toBe(away.whyNot);
  expect(gateOf("dispatchable", madeState(madeLane()))?.value).toContain("in this workflow's project");
});

test("what opens by itself says when: a pause, a hold, a wait", () => {
  const until = after(T0, 60_000);
  const waits = madeState(madeLane({ hold: held(5, null) }), [madeWaiting(SUBJECT, { retryAt: until })], {
    pauses: new Map([[W, { ...pause, until }]]),
  });
  expect(gateOf("claim", waits)?.opensAt).toBe(until);
  expect(gateOf("pause", waits)?.opensAt).toBe(until);
  expect(gateOf("hold", waits)?.opensAt).toBe(after(T0, 5));
});

test("a tracker that could not be asked is no answer: neither yes nor no", () => {
  const { gates, verdict } = explain(
    madeState(madeLane()),
    { workflow: W, id: SUBJECT.id, issue: "unknown" },
    T0,
  );
  expect(gates.filter(({ open }) => open === null).map(({ name }) => name)).toEqual([
    "visible",
    "name",
    "state",
    "dispatchable",
    "label",
    "blockers",
  ]);
  expect(verdict).toBe("Nothing that is known stands in its way; the tracker could not be asked.");
});

test("the verdict names every shut gate, and a run as a run", () => {
  const parked = madeState(madeLane({ broken: "line 1" }), [madeParked(SUBJECT)]);
  expect(explain(parked, { workflow: W, id: SUBJECT.id, issue: SUBJECT }, T0).verdict).toBe(
    "It does not start: it is parked (failing): it failed. Also: its WORKFLOW.md cannot be used since the last change: line 1.",
  );
  const runs = madeState(madeLane(), [madeRunning(SUBJECT)]);
  expect(explain(runs, { workflow: W, id: SUBJECT.id, issue: SUBJECT }, T0).verdict).toBe(
    "It runs now (r-A-1).",
  );
  expect(explain(runs, { workflow: OTHER, id: SUBJECT.id, issue: SUBJECT }, T0).verdict).toContain(
    'no workflow is called "other"',
  );
});
