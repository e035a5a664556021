import { expect, test } from "vitest";
import type { Fact } from "../../../src/domain/fact.ts";
import type { Point } from "../../../src/daemon/failpoints.ts";
import { Runners, type RunnersParts } from "../../../src/daemon/runners.ts";
import { issueId } from "../../../src/domain/issue.ts";
import type { Workspaces } from "../../../src/workspace/port.ts";
import { W } from "../scheduler/made.ts";
import { HandClock } from "./hand-clock.ts";

/** Runners with nothing but workspaces: enough for removals. */
function removing(remove: Workspaces["remove"], more: Partial<RunnersParts> = {}) {
  const said: Fact[] = [];
  const parts = {
    workflows: { current: () => ({ settings: { workspace: {}, hooks: {}, codex: { envPass: [] } } }) },
    workspaces: { remove },
    clock: new HandClock(),
    publish: (fact: Fact) => said.push(fact),
    ...more,
  };
  const runners = new Runners(parts as unknown as RunnersParts);
  runners.run({ type: "remove", workflow: W, issueId: issueId("id-1"), identifier: "A-1" });
  return { runners, said };
}

test("a removal that outlasts the patience of a stop is given up, and the workspace is said to be kept", async () => {
  const { runners, said } = removing(
    (_of, _report, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("not saved")), { once: true });
      }),
  );
  await runners.close(5);
  expect(said).toMatchObject([{ type: "workspace_kept", error: "not saved" }]);
});

test("a removal that ends within the patience of a stop is waited for", async () => {
  const removal = Promise.withResolvers<boolean>();
  const signals: (AbortSignal | undefined)[] = [];
  const { runners, said } = removing((_of, _report, signal) => {
    signals.push(signal);
    return removal.promise;
  });
  const closed = runners.close(10_000);
  removal.resolve(true);
  await closed;
  expect(said).toEqual([]);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
});

test("work is done, for whoever looks for that point, when its runner has come to its end", async () => {
  const removal = Promise.withResolvers<boolean>();
  const points: Point[] = [];
  const { runners } = removing(() => removal.promise, { failpoint: (point) => points.push(point) });
  await Promise.resolve();
  expect(points).toEqual([]);
  removal.resolve(true);
  await runners.close(1_000);
  expect(points).toEqual(["remove: after effect"]);
});
