import { expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { after } from "../../../src/domain/time.ts";
import { dueIn, inLine, queuedIn, rooms } from "../../../src/scheduler/line.ts";
import type { Claim, Lane, State } from "../../../src/scheduler/state.ts";
import {
  T0,
  madeCandidate,
  madeIssue,
  madeLane,
  madePolicy,
  madeRunning,
  madeState,
  madeWaiting,
} from "./made.ts";

const [low, urgent] = [madeIssue("A-1", { priority: 4 }), madeIssue("A-2", { priority: 1 })];
const due = madeIssue("D-1", { priority: 2 });

function world(queue: readonly Issue[], claims: readonly Claim[] = [], caps = new Map<string, number>()) {
  const policy = madePolicy({ agentsMaxByState: caps });
  const lane = madeLane({ policy, queue: queue.map((issue) => madeCandidate(issue)) });
  return [madeState(lane, claims), lane] as const;
}

const names = ([state, lane]: readonly [State, Lane]): readonly string[] =>
  [...inLine(state, lane, T0)].map(({ identifier }) => identifier);

test("what is due and what is new are in line by priority and age", () => {
  expect(names(world([urgent, low], [madeWaiting(due, { retryAt: T0 })]))).toEqual(["A-2", "D-1", "A-1"]);
});

test("neither is what waits for a time, what another workflow took, nor what was refused", () => {
  const [state, lane] = world([urgent, low], [madeWaiting(due, { retryAt: after(T0, 1) }), madeRunning(low)]);
  expect(names([state, lane])).toEqual(["A-2"]);
  const refused = { ...lane, queue: [madeCandidate(urgent, { refusedAt: T0, look: "later" })] };
  expect(names([state, refused])).toEqual([]);
  expect([...queuedIn(state, refused, rooms(state, refused), T0)]).toEqual([]);
});

test("no more of a state are in line than it has room for, and none of a full one is put in order", () => {
  const caps = new Map([["todo", 1]]);
  expect(names(world([urgent, low], [], caps))).toEqual(["A-2"]);
  const [state, lane] = world([urgent], [madeRunning(low), madeWaiting(due, { retryAt: T0 })], caps);
  expect(names([state, lane])).toEqual([]);
  expect(dueIn(state, lane, rooms(state, lane), T0)).toEqual([]);
});
