import { expect, test } from "vitest";
import { Loop } from "../../../src/daemon/loop.ts";
import { initialState } from "../../../src/scheduler/decide.ts";
import { W, madeIssue, madePolicy, summaryOf } from "../scheduler/made.ts";
import { HandClock } from "./hand-clock.ts";

test("a step comes by the moment before its commit, the one after it, and, when its work has begun, the last of its records", () => {
  const did: string[] = [];
  const issue = madeIssue("A-1");
  const loop = new Loop({
    state: initialState,
    clock: new HandClock(),
    commit: () => did.push("commit"),
    publish: () => {},
    tell: () => {},
    run: ({ type }) => did.push(`run ${type}`),
    onFatal: (error) => did.push(String(error)),
    failpoint: (point) => did.push(point),
  });
  loop.dispatch({ type: "configured", policy: madePolicy() });
  loop.dispatch({ type: "began" });
  loop.dispatch({ type: "polled", workflow: W, candidates: [summaryOf(issue)], tookMs: 1 });
  did.length = 0;
  loop.dispatch({ type: "revalidated", workflow: W, ids: [issue.id], issues: [issue] });
  expect(did).toEqual([
    "tally: before commit",
    "claim: before commit",
    "run_started: before commit",
    "start: before commit",
    "commit",
    "tally: after commit",
    "claim: after commit",
    "run_started: after commit",
    "start: after commit",
    "run start",
    "tally: after effect",
    "claim: after effect",
    "run_started: after effect",
  ]);
});
