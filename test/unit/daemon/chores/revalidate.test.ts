import { expect, test } from "vitest";
import { revalidate } from "../../../../src/daemon/chores/revalidate.ts";
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

test("a tracker that does not answer is news, with the time at which it makes sense to ask again", async () => {
  const { limited } = recorded();
  expect(await answerTo({ issues: () => Promise.reject(limited()) })).toMatchObject([
    { type: "revalidation_failed", kind: "tracker_rate_limited", retryAt: expect.any(Number) },
  ]);
  expect(await answerTo({ issues: () => Promise.reject(new Error("a bug")) })).toMatchObject([
    { type: "revalidation_failed", kind: "internal", retryAt: null },
  ]);
});
