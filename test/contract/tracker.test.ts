import { expect, it } from "vitest";
import { readEach } from "../../src/daemon/chores/each.ts";
import { startBoard, type Board } from "../../src/demo/board/board.ts";
import { issueId } from "../../src/domain/issue.ts";
import { instant } from "../../src/domain/time.ts";
import { createLinearTracker } from "../../src/tracker/linear/linear.ts";
import { MemoryBoard } from "../../src/tracker/memory-board.ts";
import { MemoryTracker } from "../../src/tracker/memory.ts";
import { ownScans, SharedScans } from "../../src/tracker/linear/shared-scans.ts";
import type { Tracker, TrackerNews } from "../../src/tracker/port.ts";
import { memoryWorld } from "./memory-world.ts";
import { errorOf, people, type Scope, trackerSuite, usualScope, type World } from "./tracker-suite.ts";

trackerSuite("the tracker in memory", async () =>
  memoryWorld((board, scope) => new MemoryTracker(board, scope)),
);

async function linearWorld(
  open: (board: Board, scope: Partial<Scope>) => Tracker = linearOn,
): Promise<World> {
  const board = await boardOfTwoProjects();
  const { store } = board;
  const userId = (who: keyof typeof people): string =>
    store.users.find((user) => user.email === people[who].email)?.id ?? "";
  return {
    tracker: (scope = {}) => open(board, scope),
    add: ({ assignee, title = "An issue", ...draft }) =>
      issueId(
        store.add({ title, ...draft, assigneeId: assignee === undefined ? null : userId(assignee) }).id,
      ),
    move: (id, state) => void store.move(id, state),
    unlabel: (id, label) => void store.unlabel(id, label),
    assign: (id, who) => void store.edit(id, { assigneeId: who === null ? null : userId(who) }),
    moveTo: (id, project) =>
      void store.edit(id, {
        projectId: store.projects.find(({ slugId }) => slugId === project)?.id ?? null,
      }),
    block: (id, by) => void store.relate({ type: "blocks", issueId: by, relatedIssueId: id }),
    archive: (id) => void store.archive(id),
    trash: (id) => void store.trash(id),
    remove: (id) => store.remove(id),
    userId,
    requests: board.requests,
    limitRateUntil: (at) => board.fail(1, { type: "ratelimited", resetAt: new Date(at) }),
    close: board.close,
  };
}

trackerSuite("the tracker at Linear, here the board on loopback", () => linearWorld());

trackerSuite("the same when its scans are shared with another workflow", async () => {
  const now = () => instant(Date.now());
  const shared = new SharedScans("demo", now, () => new Promise((resolve) => setImmediate(resolve)));
  return linearWorld((board, scope) => {
    const tracker = linearOn(board, scope, quiet, shared.join());
    const company = linearOn(board, { requiredLabels: ["another"] }, quiet, shared.join());
    const candidates = tracker.candidates.bind(tracker);
    return Object.assign(tracker, {
      candidates: async (signal: AbortSignal) => {
        const [own, others] = await Promise.all([candidates(signal), company.candidates(signal)]);
        expect(others).toEqual([]);
        return own;
      },
    });
  });
});

const boardOfTwoProjects = (): Promise<Board> =>
  startBoard({
    seed: {
      projects: [
        { name: "Demo", slugId: "demo" },
        { name: "Other", slugId: "other" },
      ],
      users: [people.ada, people.bob],
    },
  });

const quiet: TrackerNews = { rates: () => {}, rejected: () => {} };

const linearOn = (board: Board, scope: Partial<Scope>, news = quiet, scans = ownScans("demo")) =>
  createLinearTracker(
    {
      kind: "linear",
      endpoint: board.url,
      apiKey: board.apiKey,
      terminalStates: [],
      ...usualScope,
      ...scope,
    },
    news,
    () => instant(Date.now()),
    { scans },
  );

it("a call that hangs in memory ends when its signal aborts, with the port's error", async () => {
  const tracker = new MemoryTracker(new MemoryBoard(), usualScope);
  tracker.hangNext();
  const abort = new AbortController();
  const call = errorOf(tracker.candidates(abort.signal));
  abort.abort();
  expect(await call).toMatchObject({ kind: "tracker_request", passing: true });
  expect(await tracker.candidates(new AbortController().signal)).toEqual([]);
});

it("the numbers of every answer's rate headers are told, those of a refusal too", async () => {
  const board = await boardOfTwoProjects();
  const told: Readonly<Record<string, number>>[] = [];
  const news = {
    rates: (limits: Readonly<Record<string, number>>) => void told.push(limits),
    rejected: () => {},
  };
  const resetAt = new Date(Date.now() + 60_000);
  try {
    board.fail(1, { type: "ratelimited", resetAt });
    await errorOf(linearOn(board, {}, news).candidates(new AbortController().signal));
    await linearOn(board, {}, news).candidates(new AbortController().signal);
  } finally {
    await board.close();
  }
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject({ "requests-remaining": 0, "requests-reset": resetAt.getTime() });
  expect(told[1]).toMatchObject({ "requests-limit": 1_000_000, "complexity-remaining": 1_000_000_000 - 260 });
});

it.each([
  ["a1b2c3d4e5f6", "web-app-a1b2c3d4e5f6"],
  ["web-app-a1b2c3d4e5f6", "web-app-a1b2c3d4e5f6"],
  ["a1b2c3d4e5f6", "a1b2c3d4e5f6"],
])("a project whose slugId is %s is found by project_slug %s", async (slugId, projectSlug) => {
  const board = await startBoard({ seed: { projects: [{ name: "Web", slugId }] } });
  const signal = new AbortController().signal;
  try {
    const { id } = board.store.add({ title: "An issue" });
    const done = board.store.add({ title: "A finished one", state: "Done" });
    const tracker = linearOn(board, { projectSlug }, quiet, ownScans(projectSlug));
    expect(await tracker.scopeName(signal)).toBe("Web");
    expect((await tracker.candidates(signal)).map((issue) => issue.id)).toEqual([id]);
    expect((await tracker.inStates(["Done"], signal)).map((issue) => issue.id)).toEqual([done.id]);
    expect(await tracker.statuses([issueId(id)], signal)).toMatchObject([{ dispatchable: true }]);
    expect(await tracker.issues([issueId(id)], signal)).toMatchObject([{ dispatchable: true }]);
  } finally {
    await board.close();
  }
});

it("an issue with more relations than are read is to blame for its answer, and the others are read without it", async () => {
  const board = await boardOfTwoProjects();
  const { store } = board;
  const { signal } = new AbortController();
  const [first, many, last] = ["First", "Many", "Last"].map((title) => store.add({ title }).id);
  try {
    for (let n = 0; n < 421; n++)
      store.relate({
        type: "blocks",
        issueId: store.add({ title: "A blocker" }).id,
        relatedIssueId: many ?? "",
      });
    const tracker = linearOn(board, {});
    const ids = [first, many, last].map((id) => issueId(id ?? ""));
    expect(await errorOf(tracker.issues(ids, signal))).toMatchObject({
      kind: "tracker_pagination",
      record: true,
    });
    const read = await readEach(ids, [], (some) => tracker.issues(some, signal));
    expect(read.found.map(({ title }) => title)).toEqual(["First", "Last"]);
    expect(read.unreadable).toEqual([
      { id: many, error: expect.stringContaining("the relations of") as string },
    ]);
    // Of a running one only its state and labels are asked for.
    expect(await tracker.statuses(ids, signal)).toHaveLength(3);
  } finally {
    await board.close();
  }
});

it("an assignee is looked up once, not on every call", async () => {
  const board = await boardOfTwoProjects();
  const tracker = linearOn(board, { assignee: "me" });
  const signal = new AbortController().signal;
  try {
    await tracker.candidates(signal);
    await tracker.candidates(signal);
    await tracker.statuses([issueId("any")], signal);
  } finally {
    await board.close();
  }
  expect(board.requests()).toBe(4);
});

it("an assignee that nobody is, is an error that does not pass", async () => {
  const board = await boardOfTwoProjects();
  try {
    const tracker = linearOn(board, { assignee: "eve@example.com" });
    const failed = await errorOf(tracker.candidates(new AbortController().signal));
    expect(failed.passing).toBe(false);
    expect(failed.message).toContain("tracker.assignee");
  } finally {
    await board.close();
  }
});
