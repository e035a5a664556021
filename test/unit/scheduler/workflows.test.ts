import { expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { workflowName } from "../../../src/domain/run.ts";
import { runningClaims } from "../../../src/scheduler/eligible.ts";
import { Bench, W, madeIssue, madePolicy, summaryOf } from "./made.ts";

const OTHER = workflowName("other");

function two(main: number, other: number): Bench {
  const bench = new Bench(madePolicy({ agentsMax: main }));
  bench.say({ type: "configured", policy: madePolicy({ workflow: OTHER, agentsMax: other }) });
  return bench;
}

/** A scan of one workflow; whatever is then asked for is answered with these issues. */
function scan(bench: Bench, workflow: typeof W, ...issues: readonly Issue[]): void {
  bench.say({ type: "polled", workflow, candidates: issues.map(summaryOf), tookMs: 1 });
  bench.answer(...issues);
}

test("each workflow polls its own scope", () => {
  const bench = two(3, 3);
  expect(bench.take("poll").map(({ workflow }) => workflow)).toEqual([W, OTHER]);
});

test("an issue that two workflows list is claimed once, by the first", () => {
  const bench = two(3, 3);
  const issue = madeIssue("A-1");
  scan(bench, W, issue);
  scan(bench, OTHER, issue);
  expect(bench.take("start").map(({ run }) => run.workflow)).toEqual([W]);
});

test("all workflows share as many slots as the most generous has, and each keeps to its own number", () => {
  const bench = two(4, 2);
  scan(bench, W, ...[1, 2, 3].map((n) => madeIssue(`A-${n}`)));
  scan(bench, OTHER, ...[1, 2, 3].map((n) => madeIssue(`B-${n}`)));
  const running = runningClaims(bench.state).map(({ issue }) => issue.identifier);
  expect(running).toEqual(["A-1", "A-2", "A-3", "B-1"]);
});

test("one workflow's trouble is not the other's: a broken file, a hold, a full disk", () => {
  const bench = two(3, 3);
  bench.say({ type: "misconfigured", workflow: OTHER, error: "line 1" });
  bench.say({ type: "disk_checked", workflow: OTHER, low: "full" });
  scan(bench, OTHER, madeIssue("B-1"));
  scan(bench, W, madeIssue("A-1"));
  expect(bench.take("start").map(({ issue }) => issue.identifier)).toEqual(["A-1"]);
});

test("an issue that the other workflow took after both had listed it is not asked for again and again", () => {
  const bench = two(3, 3);
  const issue = madeIssue("A-1");
  for (const workflow of [W, OTHER]) {
    bench.say({ type: "polled", workflow, candidates: [summaryOf(issue)], tookMs: 1 });
  }
  for (const { workflow, ids } of bench.take("revalidate")) {
    bench.say({ type: "revalidated", workflow, ids, issues: [issue] });
  }
  expect(bench.take("start")).toHaveLength(1);
  expect(bench.take("revalidate")).toEqual([]);
});
