import { expect, test } from "vitest";
import { recover } from "../../../src/daemon/recover.ts";
import { noTokens, runId, threadId, workflowName } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import type { OpenRun, Saved } from "../../../src/ledger/port.ts";
import { newTally } from "../../../src/scheduler/tally.ts";
import type { Running } from "../../../src/scheduler/state.ts";
import { Bench, T0, W, madeIssue } from "../scheduler/made.ts";

const issue = madeIssue("A-1");
const tokens = (total: number) => ({ ...noTokens, input: total, total });

function running(): Running {
  const bench = new Bench();
  bench.scan(issue);
  const claim = bench.claim(issue);
  if (claim?.phase !== "running") throw new Error("not running");
  return claim;
}

const openRun: OpenRun = {
  runId: runId("r1"),
  issueId: issue.id,
  identifier: issue.identifier,
  workflow: W,
  startedAt: T0,
  pid: 7,
  startTicks: 9,
  bootId: null,
  workspace: "/w",
  thread: threadId("t-1"),
  turns: 2,
  tokens: tokens(40),
  threadTotal: tokens(140),
};

const saved = (more: Partial<Saved> = {}): Saved => ({
  claims: [],
  tallies: new Map(),
  installation: "here",
  runsEver: 0,
  holds: new Map(),
  pauses: new Map(),
  refusals: new Map(),
  spent: { day: 0, tokens: 0 },
  open: [],
  ...more,
});

test("which issues are taken up again, and which are let go of, is known to whoever tells of the start", () => {
  const other = { ...openRun, runId: runId("r2"), issueId: madeIssue("B-1").id, identifier: "B-1" };
  const claims = [running(), { ...running(), workflow: workflowName("gone"), issue: madeIssue("B-1") }];
  const of = saved({ claims, open: [openRun, other], runsEver: 2 });
  expect(recover(of, after(T0, 5), new Set([W])).lost).toEqual([
    { identifier: "A-1", takenUp: true },
    { identifier: "B-1", takenUp: false },
  ]);
  expect(recover(saved(), T0).lost).toEqual([]);
});

test("a run without an ending is lost, and its issue waits, due at once, to go on", () => {
  const { state, records } = recover(
    saved({ claims: [running()], open: [openRun], runsEver: 1 }),
    after(T0, 5),
  );
  expect(state.claims.get(issue.id)).toMatchObject({
    phase: "waiting",
    kind: "continuation",
    retryAt: after(T0, 5),
  });
  expect(records.find(({ type }) => type === "run_ended")).toMatchObject({
    runId: "r1",
    ending: { outcome: "lost" },
  });
  expect(state.runsEver).toBe(1);
});

test("a lost run gives its attempt back, and its tokens and thread are kept", () => {
  const tally = {
    ...newTally,
    runs: 3,
    failures: 1,
    tokens: tokens(100),
    thread: threadId("t-1"),
    threadTotal: tokens(100),
  };
  const { state } = recover(
    saved({ claims: [running()], tallies: new Map([[issue.id, tally]]), open: [openRun] }),
    T0,
  );
  expect(state.tallies.get(issue.id)).toEqual({
    runs: 2,
    failures: 1,
    idle: 0,
    fingerprint: null,
    extraRuns: 0,
    extraTokens: 0,
    tokens: tokens(140),
    thread: "t-1",
    threadTotal: tokens(140),
    threadFailures: 0,
    told: null,
    last: {
      at: T0,
      state: null,
      thread: threadId("t-1"),
      turns: 2,
      outcome: "lost",
      kind: "lost",
      why: "Baton's process ended while the run was under way.",
      released: null,
    },
  });
});

test("a lost run that had to begin a new thread leaves that thread's mark, not the old one's", () => {
  const tally = { ...newTally, runs: 2, thread: threadId("t-0"), threadTotal: tokens(900) };
  const { state } = recover(
    saved({ claims: [running()], tallies: new Map([[issue.id, tally]]), open: [openRun] }),
    T0,
  );
  expect(state.tallies.get(issue.id)).toMatchObject({ thread: "t-1", threadTotal: tokens(140) });
});

test("a run that never had a turn leaves no thread to resume", () => {
  const { state } = recover(
    saved({ claims: [running()], open: [{ ...openRun, turns: 0 }] }),
    T0,
    new Set([W]),
  );
  expect(state.tallies.get(issue.id)?.thread).toBeNull();
});

test("waiting and parked claims come back as they were, with their deadlines", () => {
  const { workflow } = running();
  const waiting = {
    phase: "waiting",
    workflow,
    issue,
    retryAt: after(T0, 99),
    attempt: 2,
    kind: "retry",
    why: "x",
    failure: null,
  } as const;
  const { state, records } = recover(saved({ claims: [waiting] }), T0, new Set([W]));
  expect(state.claims.get(issue.id)).toEqual(waiting);
  expect(records).toEqual([]);
});

test("a waiting claim of a workflow that this daemon does not run is let go of, a parked one is not", () => {
  const { workflow } = running();
  const waiting = {
    phase: "waiting",
    workflow,
    issue,
    retryAt: T0,
    attempt: 2,
    kind: "retry",
    why: "x",
    failure: null,
  } as const;
  const gone = recover(saved({ claims: [waiting] }), T0, new Set());
  expect(gone.state.claims.size).toBe(0);
  expect(gone.records).toEqual([{ type: "unclaim", issueId: issue.id }]);
  const parked = {
    phase: "parked",
    workflow,
    issue,
    reason: "failing",
    why: "x",
    wayOut: "y",
    since: T0,
  } as const;
  expect(recover(saved({ claims: [parked] }), T0, new Set()).state.claims.size).toBe(1);
});
