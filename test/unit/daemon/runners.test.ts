import { expect, test } from "vitest";
import type { Point } from "../../../src/daemon/failpoints.ts";
import { Roots } from "../../../src/daemon/roots.ts";
import { Runners, type RunnersParts } from "../../../src/daemon/runners.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { runId } from "../../../src/domain/run.ts";
import type { Workspaces } from "../../../src/workspace/port.ts";
import { W } from "../scheduler/made.ts";
import { HandClock } from "./hand-clock.ts";
import { trackerWith, workflows } from "./chores/parts.ts";

/** Runners with a workflow and nothing else. */
const runnersWith = (more: Partial<RunnersParts>): Runners =>
  new Runners({
    workflows,
    clock: new HandClock(),
    publish: () => {},
    mayRemove: () => true,
    roots: new Roots(() => []),
    trackerFor: trackerWith({}),
    ...more,
  } as RunnersParts);

test("work is done, for whoever looks for that point, when its runner has come to its end", async () => {
  const removal = Promise.withResolvers<boolean>();
  const points: Point[] = [];
  const workspaces: Partial<Workspaces> = { remove: () => removal.promise };
  const runners = runnersWith({
    workspaces: workspaces as Workspaces,
    failpoint: (point) => points.push(point),
  });
  runners.run({ type: "remove", workflow: W, issueId: issueId("id-1"), identifier: "A-1" });
  await Promise.resolve();
  expect(points).toEqual([]);
  removal.resolve(true);
  await runners.close(1_000);
  expect(points).toEqual(["remove: after effect"]);
});

test("work of a run that is over is nobody's, and no mistake", () => {
  const runners = runnersWith({});
  runners.run({ type: "pulse", runId: runId("gone") });
  runners.run({ type: "stop", runId: runId("gone"), why: null, survey: false });
  expect(() => runners.run({ type: "steer", runId: runId("gone"), used: 1, max: 2 })).not.toThrow();
});

test("a request to the tracker ends with the daemon", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const runners = runnersWith({
    dispatch: () => {},
    trackerFor: () =>
      ({
        issues: (_ids: unknown, signal: AbortSignal) => {
          asked.resolve(signal);
          return new Promise(() => {});
        },
      }) as never,
  });
  runners.run({ type: "revalidate", scope: "s1", apart: [], workflow: W, ids: [issueId("id-1")] });
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  await runners.close(0);
  expect(signal.aborted).toBe(true);
});
