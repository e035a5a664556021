import { expect, test } from "vitest";
import { Removals } from "../../../../src/daemon/chores/remove.ts";
import { type IssueId, issueId } from "../../../../src/domain/issue.ts";
import { WorkspaceError, type Workspaces } from "../../../../src/workspace/port.ts";
import { W } from "../../scheduler/made.ts";
import { recorded, trackerWith, workflow } from "./parts.ts";

/** Removals of which this many have been asked for. */
function removing(
  remove: Workspaces["remove"],
  times = 1,
  mayRemove = (_issue: IssueId): boolean => true,
  roots: readonly string[] = [],
) {
  const { parts, facts } = recorded();
  const removals = new Removals({
    ...parts,
    trackerFor: trackerWith({}),
    roots: { of: () => new Set(roots) },
    workspaces: { remove },
    mayRemove,
  });
  const over = Array.from({ length: times }, (_, n) =>
    removals.remove({
      type: "remove",
      workflow: W,
      issueId: issueId(`id-${n + 1}`),
      identifier: `A-${n + 1}`,
    }),
  );
  return { removals, facts, over: Promise.all(over) };
}

test("a removal that outlasts the patience of a stop is given up, and the workspace is said to be kept", async () => {
  const { removals, facts } = removing(
    (_of, _report, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("not saved")), { once: true });
      }),
  );
  await removals.close(5);
  expect(facts).toMatchObject([
    { type: "workspace_kept", identifier: "A-1", error: "not saved.", again: "start" },
  ]);
});

test("what could not be removed is told with what to do, and that the next sweep tries again", async () => {
  const { facts, over } = removing(async () => {
    throw new WorkspaceError("workspace_error", "there is no room for it", { hint: "Free some space." });
  });
  await over;
  expect(facts).toMatchObject([
    { type: "workspace_kept", error: "there is no room for it. Free some space.", again: "sweep" },
  ]);
});

test("a removal that ends within the patience of a stop is waited for", async () => {
  const removal = Promise.withResolvers<boolean>();
  const signals: (AbortSignal | undefined)[] = [];
  const { removals, facts } = removing((_of, _report, signal) => {
    signals.push(signal);
    return removal.promise;
  });
  const closed = removals.close(10_000);
  removal.resolve(true);
  await closed;
  expect(facts).toEqual([]);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
});

test("two are removed at once, and what has not begun when the daemon stops is left to the next start", async () => {
  const removal = Promise.withResolvers<boolean>();
  const begun: string[] = [];
  const { removals } = removing(({ identifier }) => {
    begun.push(identifier);
    return removal.promise;
  }, 3);
  const closed = removals.close(10_000);
  removal.resolve(true);
  await closed;
  expect(begun).toEqual(["A-1", "A-2"]);
});

test("an issue that was taken up again while its removal stood in line keeps its workspace", async () => {
  const slow = Promise.withResolvers<boolean>();
  const begun: string[] = [];
  const takenUp = new Set<IssueId>();
  const { over, facts } = removing(
    ({ identifier }) => {
      begun.push(identifier);
      return slow.promise;
    },
    3,
    (issue) => !takenUp.has(issue),
  );
  await Promise.resolve();
  takenUp.add(issueId("id-3"));
  slow.resolve(true);
  await over;
  expect([begun, facts]).toEqual([["A-1", "A-2"], []]);
});

test("a workspace that lies where workspace.root was before goes with its issue, but only what is recorded as its own", async () => {
  const asked: unknown[] = [];
  const now = workflow.settings.workspace.root;
  const { over } = removing(
    async ({ workspace }, _report, _signal, which) => asked.push([workspace.root, which ?? "any"]) > 0,
    1,
    () => true,
    [now, "/before"],
  );
  await over;
  expect(asked).toEqual([
    [now, "any"],
    ["/before", "recorded"],
  ]);
});
