import { expect, test } from "vitest";
import { ANSWER_MAX_MS, fold, stillTrue } from "../../../src/daemon/kept-news.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { runId, threadId, workflowName } from "../../../src/domain/run.ts";
import { after, instant } from "../../../src/domain/time.ts";
import type { News } from "../../../src/scheduler/events.ts";

const at = instant(0);
const run = { runId: runId("r1"), issueId: issueId("i1") };
const revalidated: News = {
  type: "revalidated",
  workflow: workflowName("w"),
  scope: "s",
  ids: [issueId("i1")],
  issues: [],
};

test("what the tracker said before a start counts for a while, and is asked for again after it, at once: no failure of the tracker's", () => {
  expect(stillTrue({ news: revalidated, at }, after(at, ANSWER_MAX_MS))).toBe(revalidated);
  expect(stillTrue({ news: revalidated, at }, after(at, ANSWER_MAX_MS + 1))).toMatchObject({
    type: "look_put_off",
    workflow: "w",
    scope: "s",
    until: null,
    why: expect.stringContaining("120 s old") as string,
  });
});

test("what it said between two turns is asked again, by a scope that is nobody's", () => {
  const checked: News = { type: "checked", ...run, status: null, scope: "s" };
  expect(stillTrue({ news: checked, at }, after(at, ANSWER_MAX_MS + 1))).toEqual({
    ...checked,
    scope: "outdated",
  });
});

test("everything else is as true as it was", () => {
  const news: News = { type: "stop_requested", why: "SIGTERM", force: false };
  expect(stillTrue({ news, at }, after(at, 10 * ANSWER_MAX_MS))).toBe(news);
});

const used = (thread: string, id = "r1"): { news: News } => ({
  news: {
    type: "usage",
    ...run,
    runId: runId(id),
    threadId: threadId(thread),
    total: { total: 1, input: 1, cached: 0, output: 0 } as never,
  },
});

test("of the reports of one thread the last one is kept, and nothing else goes", () => {
  const waiting = [{ news: revalidated }, used("t1"), used("t2"), used("t1", "r2")];
  const kept = [waiting[0], waiting[2], waiting[3]];
  fold(waiting, used("t1").news);
  expect(waiting).toEqual(kept);
  fold(waiting, revalidated);
  expect(waiting).toEqual(kept);
});
