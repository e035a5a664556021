import { describe, expect, test } from "vitest";
import { workflowName } from "../../../src/domain/run.ts";
import {
  about,
  changeCandidate,
  count,
  drop,
  nothing,
  put,
  record,
  say,
  tallyOf,
  update,
  withHold,
  withLane,
  work,
} from "../../../src/scheduler/change.ts";
import { newTally } from "../../../src/scheduler/tally.ts";
import type { Candidate, Hold } from "../../../src/scheduler/state.ts";
import {
  T0,
  W,
  madeCandidate,
  madeHold,
  madeIssue,
  madeLane,
  madeRunning,
  madeState,
  madeWaiting,
} from "./made.ts";

const ISSUE = madeIssue("A-1");
const RUNNING = madeRunning(ISSUE);
const STATE = madeState(madeLane(), [RUNNING]);

test("a decision grows at the ends of its lists, and what it was is left as it was", () => {
  const before = record(nothing(STATE), { type: "unclaim", issueId: ISSUE.id });
  const after = work(
    say(record(before, { type: "pause", scope: W, pause: null }), T0, { workflow: W }, { type: "disk_ok" }),
    { type: "exit", clean: true },
  );
  expect(after.records.map(({ type }) => type)).toEqual(["unclaim", "pause"]);
  expect(after.facts).toEqual([{ type: "disk_ok", workflow: W, at: T0 }]);
  expect(after.work).toEqual([{ type: "exit", clean: true }]);
  expect(before).toEqual({ ...nothing(STATE), records: [{ type: "unclaim", issueId: ISSUE.id }] });
});

describe("state and record cannot part:", () => {
  test("a claim that is put", () => {
    const claim = madeWaiting(ISSUE);
    const { state, records } = put(nothing(STATE), claim, T0);
    expect(state.claims.get(ISSUE.id)).toBe(claim);
    expect(records).toEqual([{ type: "claim", claim, at: T0 }]);
  });

  test("a claim that is dropped", () => {
    const { state, records } = drop(nothing(STATE), ISSUE.id);
    expect(state.claims.size).toBe(0);
    expect(records).toEqual([{ type: "unclaim", issueId: ISSUE.id }]);
  });

  test("a tally", () => {
    const tally = { ...newTally, runs: 2 };
    const { state, records } = count(nothing(STATE), ISSUE.id, "A-1", tally);
    expect(tallyOf(state, ISSUE.id)).toBe(tally);
    expect(records).toEqual([{ type: "tally", issueId: ISSUE.id, identifier: "A-1", tally }]);
  });

  test("a hold", () => {
    const hold: Hold = madeHold({ why: "no", until: T0, refusals: 0, trial: null });
    const { state, records } = withHold(nothing(STATE), W, hold);
    expect(state.workflows.get(W)?.hold).toBe(hold);
    expect(records).toEqual([{ type: "hold", workflow: W, hold }]);
  });
});

test("what is known of a live run is not written down: after a crash its phase and its rows count", () => {
  const claim = { ...RUNNING, turns: 5 };
  const { state, records } = update(nothing(STATE), claim);
  expect(state.claims.get(ISSUE.id)).toBe(claim);
  expect(records).toEqual([]);
});

test("an issue that was never counted has used up nothing", () => {
  expect(tallyOf(STATE, ISSUE.id)).toBe(newTally);
});

test("a workflow that is not known has no lane to change", () => {
  const sofar = nothing(STATE);
  expect(withLane(sofar, workflowName("other"), (lane) => ({ ...lane, broken: "x" }))).toBe(sofar);
});

test("one candidate of a queue is changed or taken out, and the others keep their places", () => {
  const queue: readonly Candidate[] = ["A-1", "A-2", "A-3"].map((key) => madeCandidate(madeIssue(key)));
  const sofar = nothing(madeState(madeLane({ queue })));
  const after = (id: string, change: (candidate: Candidate) => Candidate | null) =>
    changeCandidate(sofar, W, madeIssue(id).id, change).state.workflows.get(W)?.queue;
  expect(after("A-2", () => null)).toEqual([queue[0], queue[2]]);
  expect(after("A-2", (one) => ({ ...one, refusedAt: T0 }))?.map(({ refusedAt }) => refusedAt)).toEqual([
    null,
    T0,
    null,
  ]);
  expect(after("A-9", () => null)).toEqual(queue);
});

test("a fact about a claim says of which run and thread it is, as far as there is one", () => {
  expect(about(madeWaiting(ISSUE))).toEqual({ workflow: W, issueId: ISSUE.id, identifier: "A-1" });
  expect(about(RUNNING)).toMatchObject({ runId: RUNNING.run.id });
  expect(about(RUNNING)).not.toHaveProperty("threadId");
});
