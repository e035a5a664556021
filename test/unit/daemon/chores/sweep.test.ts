import { describe, expect, test } from "vitest";
import { Sweeps, type SweepParts } from "../../../../src/daemon/chores/sweep.ts";
import { Roots } from "../../../../src/daemon/roots.ts";
import type { IssueId, IssueStatus } from "../../../../src/domain/issue.ts";
import { DAY_MS } from "../../../../src/domain/time.ts";
import type { RunRow } from "../../../../src/ledger/port.ts";
import type { Tracker } from "../../../../src/tracker/port.ts";
import { createMemoryWorkspaces } from "../../../../src/workspace/memory.ts";
import { acme } from "../../../whose.ts";
import { madeIssue, summaryOf, W } from "../../scheduler/made.ts";
import { recorded, trackerWith, workflow } from "./parts.ts";

const { workspace } = workflow.settings;
const done = [summaryOf(madeIssue("A-1")), summaryOf(madeIssue("A-2"))];

/** A root with these directories; a name is the issue whose record lies beside it, null = there is none. */
function swept(
  directories: Readonly<Record<string, string | null>>,
  {
    statuses = [],
    runs = [],
    ...more
  }: Partial<SweepParts> & {
    readonly statuses?: readonly IssueStatus[];
    readonly runs?: readonly Partial<RunRow>[];
    readonly tracker?: Partial<Tracker>;
  } = {},
) {
  const { parts, news, facts, clock } = recorded();
  const workspaces = createMemoryWorkspaces();
  const asked: unknown[] = [];
  const trackerFor = trackerWith({
    inStates: async (states) => {
      asked.push(states);
      return done;
    },
    statuses: async (ids) => {
      asked.push(ids);
      return statuses.filter(({ id }) => ids.includes(id));
    },
    ...more.tracker,
  });
  const begun = (async () => {
    for (const [path, identifier] of Object.entries(directories)) {
      const [key = "", root = workspace.root] = path.split("/").reverse();
      const place = { ...workspace, root: root === workspace.root ? root : `/${root}` };
      workspaces.plant(place.root, key, "directory");
      const owner = { tracker: acme, issueId: `id-${identifier}`, identifier: identifier ?? "", workflow: W };
      if (identifier !== null) await workspaces.adopt(place, key, owner);
    }
  })();
  const sweeps = new Sweeps({
    ...parts,
    workflows: { ...parts.workflows, all: () => [workflow] },
    workspaces,
    roots: new Roots(() => runs as readonly RunRow[]),
    mayRemove: () => true,
    tidy: async () => {},
    trackerFor,
    ...more,
  });
  const sweep = async () => {
    await begun;
    await sweeps.sweep({ type: "sweep", workflow: W, scope: "s1" }, new AbortController().signal);
    return news.flatMap((one) =>
      one.type === "leftovers_found" ? one.issues.map(({ identifier }) => identifier) : [],
    );
  };
  return { sweep, news, facts, asked, clock, workspaces };
}

const idOf = (identifier: string): IssueId => madeIssue(identifier).id;
const status = (identifier: string, more: Partial<IssueStatus> = {}): IssueStatus => ({
  ...madeIssue(identifier),
  ...more,
});

test("only finished issues that have a workspace are told, and the tracker is asked for terminal states", async () => {
  const { sweep, news, asked } = swept({ "A-2": null, "A-9": null });
  expect(await sweep()).toEqual(["A-2"]);
  expect(news).toEqual([{ type: "leftovers_found", workflow: W, scope: "s1", issues: [done[1]] }]);
  expect(asked).toEqual([workflow.settings.tracker.terminalStates]);
});

test("without workspaces the tracker is not asked", async () => {
  const { sweep, asked } = swept({});
  expect([await sweep(), asked]).toEqual([[], []]);
});

test("a directory is no finished issue's because it is called so, when it is recorded as another's", async () => {
  const { sweep } = swept({ "A-1": "B-1" }, { statuses: [status("B-1")] });
  expect(await sweep()).toEqual([]);
});

describe("an issue that no list shows is asked for by its id, and its workspace is told", () => {
  test.each([
    ["in the trash", status("B-1", { dispatchable: false, putAway: true })],
    [
      "finished, in another project and under another name",
      status("B-1", { identifier: "C-7", state: "Done" }),
    ],
  ])("when it is %s", async (_, found) => {
    const { sweep, asked } = swept({ "B-1": "B-1" }, { statuses: [found] });
    expect(await sweep()).toEqual([found.identifier]);
    expect(asked[1]).toEqual([idOf("B-1")]);
  });

  test("but not when it is only somebody else's now, or has a claim", async () => {
    const moved = status("B-1", { dispatchable: false });
    expect(await swept({ "B-1": "B-1" }, { statuses: [moved] }).sweep()).toEqual([]);
    const away = status("B-1", { putAway: true });
    const held = swept({ "B-1": "B-1" }, { statuses: [away], mayRemove: () => false });
    expect([await held.sweep(), held.asked.length]).toEqual([[], 1]);
  });

  test("when nobody has seen it for a day, not when a key has lost sight of it for an hour", async () => {
    const { sweep, clock } = swept({ "B-1": "B-1" });
    expect(await sweep()).toEqual([]);
    clock.pass(DAY_MS / 24);
    expect(await sweep()).toEqual([]);
    clock.pass(DAY_MS);
    expect(await sweep()).toEqual(["B-1"]);
  });
});

test("more than a hundred are asked for in turn", async () => {
  const names = Array.from({ length: 150 }, (_, n) => `B-${n}`);
  const { sweep, asked } = swept(Object.fromEntries(names.map((name) => [name, name])));
  await sweep();
  await sweep();
  const ids = asked
    .flatMap((one) => (Array.isArray(one) ? (one as readonly string[]) : []))
    .filter((id) => id.startsWith("id-"));
  expect([ids.length, new Set(ids).size]).toEqual([200, 150]);
});

test("what lies where workspace.root was before is found too, and gets its record from what the ledger knows", async () => {
  const run = {
    workspace: "/before/old",
    issueId: idOf("B-1"),
    identifier: "B-1",
    workflow: workflow.settings.name,
  };
  const { sweep, workspaces } = swept(
    { "before/old": null, "before/another": null },
    { runs: [run], statuses: [status("B-1", { state: "Done" })] },
  );
  expect(await sweep()).toEqual(["B-1"]);
  expect([...(await workspaces.owners({ ...workspace, root: "/before" })).keys()]).toEqual(["old"]);
});

test("a sweep that works again takes back what was said of the one that did not, once", async () => {
  let fails = true;
  const { sweep, facts } = swept(
    {},
    { tidy: () => (fails ? Promise.reject(new Error("no such directory")) : Promise.resolve()) },
  );
  await sweep();
  fails = false;
  await sweep();
  await sweep();
  expect(facts).toMatchObject([
    { type: "warning", topic: "sweep", workflow: W },
    { type: "warning", topic: "sweep", workflow: W, over: true },
  ]);
});

test("a sweep that failed is said, and nothing else", async () => {
  const { sweep, news, facts } = swept({}, { tidy: () => Promise.reject(new Error("no such directory")) });
  await sweep();
  expect(news).toEqual([]);
  expect(facts).toMatchObject([
    { type: "warning", message: expect.stringContaining("no such directory"), workflow: W },
  ]);
});
