import { expect, test } from "vitest";
import { revalidate } from "../../../../src/daemon/chores/revalidate.ts";
import { instant } from "../../../../src/domain/time.ts";
import type { Tracker } from "../../../../src/tracker/port.ts";
import { madeIssue, W } from "../../scheduler/made.ts";
import { ID, recorded, trackerWith } from "./parts.ts";

async function answerTo(answers: Partial<Tracker>) {
  const { parts, news } = recorded();
  const work = { type: "revalidate", workflow: W, scope: "s1", ids: [ID], apart: [] } as const;
  await revalidate(work, { ...parts, trackerFor: trackerWith(answers) }, new AbortController().signal);
  return news;
}

test("what was asked for comes back with its ids, so that what is missing is seen", async () => {
  const issues = [madeIssue("A-2")];
  expect(await answerTo({ issues: async () => issues })).toEqual([
    { type: "revalidated", workflow: W, scope: "s1", ids: [ID], issues },
  ]);
});

test("a look beyond what is kept for looks asks nothing, and says until when and why", async () => {
  const later = { until: instant(60_000), why: "used up" };
  const asked: unknown[] = [];
  const pacer = {
    pace: () => ({ everyMs: 1, why: null }),
    beginScan: () => true,
    beginRefresh: () => true,
    mayLook: (...of: unknown[]) => {
      asked.push(of);
      return later;
    },
    maySurvey: () => true,
  };
  const issues = () => Promise.reject(new Error("it was asked"));
  expect(await answerTo({ pacer, issues })).toEqual([
    { type: "look_put_off", workflow: W, scope: "s1", ...later },
  ]);
  expect(asked).toEqual([[1, false]]);
});

test("a tracker that does not answer is news, with the time at which it makes sense to ask again", async () => {
  const { limited } = recorded();
  expect(await answerTo({ issues: () => Promise.reject(limited()) })).toMatchObject([
    { type: "revalidation_failed", kind: "tracker_rate_limited", retryAt: expect.any(Number) },
  ]);
  expect(await answerTo({ issues: () => Promise.reject(new Error("a bug")) })).toMatchObject([
    { type: "revalidation_failed", kind: "internal", retryAt: null },
  ]);
});
