import { describe, expect, test } from "vitest";
import { noTokens, threadId } from "../../../src/domain/run.ts";
import { after } from "../../../src/domain/time.ts";
import { beginWithin, letGo, removeWorkspace } from "../../../src/scheduler/begin.ts";
import { nothing } from "../../../src/scheduler/change.ts";
import { violations } from "../../../src/scheduler/invariants.ts";
import { PersistentMap } from "../../../src/scheduler/persistent-map.ts";
import type { Hold } from "../../../src/scheduler/state.ts";
import { newTally, type Tally } from "../../../src/scheduler/tally.ts";
import {
  T0,
  W,
  madeCandidate,
  madeHold,
  madeIssue,
  madeLane,
  madePolicy,
  madeState,
  madeWaiting,
} from "./made.ts";
import { tokens } from "./played.ts";

const ISSUE = madeIssue("A-1");
const START = { issue: ISSUE, attempt: null, kind: "first" } as const;
const queue = [madeCandidate(ISSUE)];
const LANE = madeLane({ queue, policy: madePolicy({ limits: { maxRunsPerIssue: 2 } }) });

const counted = (tally: Partial<Tally>) => ({
  tallies: PersistentMap.of([[ISSUE.id, { ...newTally, ...tally }]]),
  runsEver: 7,
});

describe("a run that begins", () => {
  test("is counted, claimed and recorded before it is started", () => {
    const state = madeState(LANE, [], { runsEver: 7 });
    const decision = beginWithin(nothing(state), LANE, START, T0);
    expect(decision.records.map(({ type }) => type)).toEqual(["tally", "claim", "run_started"]);
    expect(decision.work).toMatchObject([{ type: "start", run: { id: "r8", attempt: null }, resume: null }]);
    expect(decision.state.tallies.get(ISSUE.id)).toMatchObject({ runs: 1 });
    expect(decision.state.claims.get(ISSUE.id)).toMatchObject({
      phase: "running",
      step: "starting",
      endBy: after(T0, LANE.policy.limits.maxRunMs),
    });
    expect(decision.state.workflows.get(W)?.queue).toEqual([]);
    expect(violations(state, decision)).toEqual([]);
  });

  test("goes on with the thread of the last one, from its mark", () => {
    const thread = threadId("t-1");
    const state = madeState(LANE, [], counted({ thread, threadTotal: tokens(9), fingerprint: "f" }));
    const { work, state: next } = beginWithin(nothing(state), LANE, START, T0);
    expect(work).toMatchObject([{ resume: thread, fingerprint: "f" }]);
    expect(next.claims.get(ISSUE.id)).toMatchObject({ thread: null, threadTotal: tokens(9) });
  });

  test("after a hold is the one that tries", () => {
    const hold: Hold = madeHold({ why: "no", until: T0, refusals: 2, trial: null });
    const lane = { ...LANE, hold };
    const { state, records } = beginWithin(nothing(madeState(lane)), lane, START, T0);
    expect(state.workflows.get(W)?.hold).toEqual({ ...hold, trial: "r1" });
    expect(records.map(({ type }) => type)).toContain("hold");
  });

  test("does not begin when a limit is used up: its issue is parked, and out of the queue", () => {
    const { state, work } = beginWithin(nothing(madeState(LANE, [], counted({ runs: 2 }))), LANE, START, T0);
    expect(work).toEqual([]);
    expect(state.runsEver).toBe(7);
    expect(state.claims.get(ISSUE.id)).toMatchObject({ phase: "parked", reason: "runs_exhausted" });
    expect(state.claims.get(ISSUE.id)).not.toHaveProperty("unseen");
    expect(state.workflows.get(W)?.queue).toEqual([]);
  });
});

test("an issue that is let go of keeps its counters", () => {
  const claim = madeWaiting(ISSUE);
  const before = madeState(LANE, [claim], counted({ runs: 2 }));
  const { state, facts } = letGo(nothing(before), claim, "it is done", T0);
  expect(state.claims.size).toBe(0);
  expect(state.tallies).toBe(before.tallies);
  expect(facts).toMatchObject([{ type: "released", why: "it is done", identifier: "A-1" }]);
});

test("with its workspace goes the thread that knew it, and nothing else that was counted", () => {
  const tally = { runs: 2, tokens: tokens(5), thread: threadId("t-1"), threadTotal: tokens(5) };
  const decision = removeWorkspace(nothing(madeState(LANE, [], counted(tally))), {
    workflow: W,
    issue: ISSUE,
  });
  expect(decision.state.tallies.get(ISSUE.id)).toEqual({
    ...newTally,
    ...tally,
    thread: null,
    threadTotal: noTokens,
  });
  expect(decision.work).toEqual([{ type: "remove", workflow: W, issueId: ISSUE.id, identifier: "A-1" }]);
});
