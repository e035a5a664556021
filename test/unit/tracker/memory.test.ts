import { describe, expect, it } from "vitest";
import { instant } from "../../../src/domain/time.ts";
import { MemoryBoard } from "../../../src/tracker/memory-board.ts";
import { MemoryTracker } from "../../../src/tracker/memory.ts";
import { TrackerError } from "../../../src/tracker/port.ts";

const scope = { projectSlug: "demo", activeStates: ["Todo"], requiredLabels: [], assignee: null };
const never = new AbortController().signal;

describe("ordered faults", () => {
  const down = new TrackerError("linear_api_status", "down", { status: 503 });

  it("hit the next calls, as many as ordered", async () => {
    const tracker = new MemoryTracker(new MemoryBoard(), scope);
    tracker.failNext(2, down);
    await expect(tracker.candidates(never)).rejects.toBe(down);
    await expect(tracker.whoAmI(never)).rejects.toBe(down);
    await expect(tracker.candidates(never)).resolves.toEqual([]);
  });

  it("for one kind of call leave the others alone", async () => {
    const board = new MemoryBoard();
    const { id } = board.add();
    const tracker = new MemoryTracker(board, scope);
    tracker.failNext(1, down, ["statuses"]);
    await expect(tracker.candidates(never)).resolves.toHaveLength(1);
    await expect(tracker.statuses([id], never)).rejects.toBe(down);
    await expect(tracker.statuses([id], never)).resolves.toHaveLength(1);
    expect(tracker.asked.map(({ call }) => call)).toEqual(["candidates", "statuses", "statuses"]);
  });
});

describe("a board in memory", () => {
  it("shows one set of issues to trackers of different scopes", async () => {
    const board = new MemoryBoard();
    const a = board.add();
    const b = board.add({ project: "other" });
    const other = new MemoryTracker(board, { ...scope, projectSlug: "other" });
    expect((await new MemoryTracker(board, scope).candidates(never)).map(({ id }) => id)).toEqual([a.id]);
    expect((await other.candidates(never)).map(({ id }) => id)).toEqual([b.id]);
  });

  it("gives edits the time of the clock it was made with", () => {
    let at = 5;
    const board = new MemoryBoard({ clock: () => instant(at) });
    const { id } = board.add();
    at = 9;
    expect(board.edit(id, { state: "Done" })).toMatchObject({ createdAt: 5, updatedAt: 9 });
  });

  it("never gives an id twice, also after an issue is gone", () => {
    const board = new MemoryBoard();
    board.add();
    const second = board.add();
    board.remove(second.id);
    expect(board.add().id).not.toBe(second.id);
  });
});
