import { expect, test } from "vitest";
import { nothing } from "../../../src/scheduler/change.ts";
import { limitReached, park } from "../../../src/scheduler/parking.ts";
import { newTally, type Tally } from "../../../src/scheduler/tally.ts";
import { type PolicyChanges, T0, W, madeIssue, madeLane, madePolicy, madeState } from "./made.ts";
import { tokens } from "./played.ts";

const ISSUE = madeIssue("A-1");
const LIMITS: PolicyChanges = {
  limits: { maxTokensPerIssue: 100, maxIdleRuns: 2, maxFailures: 3, maxRunsPerIssue: 4 },
};

const BRAKES: readonly (readonly [string, Partial<Tally>, reason: string | null])[] = [
  ["nothing is used up", { tokens: tokens(99), idle: 1, failures: 2, runs: 3 }, null],
  ["its tokens are", { tokens: tokens(100) }, "tokens_exhausted"],
  ["its tokens would be, but a person granted more", { tokens: tokens(100), extraTokens: 1 }, null],
  ["its runs change nothing", { idle: 2 }, "no_progress"],
  ["its runs fail", { failures: 3 }, "failing"],
  ["its runs are", { runs: 4 }, "runs_exhausted"],
  ["its runs would be, but a person granted more", { runs: 4, extraRuns: 1 }, null],
  // What says most about the issue is said first.
  ["everything is", { tokens: tokens(100), idle: 2, failures: 3, runs: 4 }, "tokens_exhausted"],
  ["its runs are, and each failed", { failures: 3, runs: 4 }, "failing"],
];

test.each(BRAKES)("which limit stops an issue when %s", (_when, tally, reason) => {
  expect(limitReached({ ...newTally, ...tally }, madePolicy(LIMITS))?.reason ?? null).toBe(reason);
});

test("a parked issue is written down with what a person can do about it, and that is told", () => {
  const lane = madeLane();
  const brake = { reason: "failing", why: "It failed." } as const;
  const scope = { workflow: W, issueId: ISSUE.id, identifier: ISSUE.identifier };
  for (const unseen of [true, false]) {
    const where = { scope, at: T0, unseen };
    const { records, facts } = park(nothing(madeState(lane)), { workflow: W, issue: ISSUE }, brake, where);
    const [record] = records;
    if (record?.type !== "claim" || record.claim.phase !== "parked") throw new Error("it is not parked");
    expect(record.claim).toMatchObject({ ...brake, since: T0 });
    expect(record.claim.wayOut).toContain("baton release A-1");
    expect(record.claim.unseen).toBe(unseen ? true : undefined);
    expect(facts).toEqual([{ type: "parked", ...brake, release: record.claim.wayOut, ...scope, at: T0 }]);
  }
});
