import { expect, test } from "vitest";
import type { Claim } from "../../../src/scheduler/state.ts";
import { noSlot } from "../../../src/scheduler/slots.ts";
import {
  Bench,
  OTHER,
  T0,
  W,
  madeCandidate,
  madeIssue,
  madeLane,
  madePolicy,
  madeRunning,
  madeState,
  scanOf,
  twoWorkflows,
} from "./made.ts";
import { exit } from "./played.ts";

const issue = madeIssue("A-1", { priority: 2 });

function why(claims: readonly Claim[], caps = new Map<string, number>()): string | null {
  const lane = madeLane({ policy: madePolicy({ agentsMax: 2, agentsMaxByState: caps }) });
  const other = madeLane({
    policy: madePolicy({ workflow: OTHER, agentsMax: 3 }),
    queue: [
      madeCandidate(madeIssue("O-1", { priority: 1 })),
      madeCandidate(madeIssue("O-2", { priority: 4 })),
    ],
  });
  const workflows = new Map([
    [W, lane],
    [OTHER, other],
  ]);
  return noSlot(madeState(lane, claims, { workflows }), lane, issue, T0);
}

const running = (key: string, workflow = W) => madeRunning(madeIssue(key), { workflow });

test.each<readonly [string, readonly Claim[], Map<string, number> | undefined, string]>([
  [
    "of the workflow",
    [running("A-2"), running("A-3")],
    undefined,
    'workflow "main" has 2 of 2 runs (agent.max_concurrent_agents)',
  ],
  [
    "of all workflows",
    [running("A-2"), running("O-3", OTHER), running("O-4", OTHER)],
    undefined,
    "all 3 slots that the workflows share are taken (the highest agent.max_concurrent_agents)",
  ],
  [
    "of the state",
    [running("A-2")],
    new Map([["todo", 1]]),
    'workflow "main" has as many runs in "Todo" as it may have: 1 (agent.max_concurrent_agents_by_state)',
  ],
  [
    "of those that come first",
    [running("A-2"), running("O-3", OTHER)],
    undefined,
    'the slots that are free are for tickets that come first: O-1 of workflow "other"',
  ],
])("the cap %s is named", (_, claims, caps, words) => {
  expect(why(claims, caps)).toBe(words);
});

test("with a slot for it, nothing is in the way", () => {
  expect(why([running("A-2")])).toBeNull();
});

test("what is due and has no slot says so, once, and which cap it is", () => {
  const bench = new Bench(madePolicy({ agentsMax: 1 }));
  const [first, next] = [madeIssue("A-1", { priority: 1 }), madeIssue("A-2", { priority: 2 })];
  bench.scan(first, next);
  exit(bench, first, ["port_exit", "it died"]);
  bench.answer(first, next);
  expect(bench.claim(first)).not.toHaveProperty("slot");
  const { records } = bench.pass(10_000);
  const slot = 'workflow "main" has 1 of 1 runs (agent.max_concurrent_agents)';
  expect(bench.claim(first)).toMatchObject({ phase: "waiting", why: "it died", slot });
  expect(records).toMatchObject([{ type: "claim", claim: { slot } }]);
  expect(bench.facts("slot_awaited")).toMatchObject([{ identifier: "A-1", why: slot }]);
  expect(bench.pass(30_000).records).toEqual([]);
});

test("what is due and may not start for another reason does not say that it waits for a slot", () => {
  const bench = twoWorkflows(1, 1);
  scanOf(bench, W, issue);
  exit(bench, issue, ["port_exit", "it died"]);
  bench.say({ type: "misconfigured", workflow: W, error: "line 1" });
  bench.pass(10_000);
  expect(bench.claim(issue)).not.toHaveProperty("slot");
});
