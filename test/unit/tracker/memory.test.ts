import { describe, expect, it } from "vitest";
import type { FactBody } from "../../../src/domain/fact.ts";
import { MemoryBoard } from "../../../src/tracker/memory-board.ts";
import { MemoryTracker } from "../../../src/tracker/memory.ts";
import { TrackerError } from "../../../src/tracker/port.ts";

const scope = { projectSlug: "demo", activeStates: ["Todo"], requiredLabels: [], assignee: null };
const never = new AbortController().signal;

describe("ordered faults", () => {
  const down = new TrackerError("tracker_status", "down", { status: 503 });

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
});

describe("its tool", () => {
  const run = () => {
    const facts: FactBody[] = [];
    return {
      facts,
      mark: "run",
      publish: (fact: FactBody) => void facts.push(fact),
      record: (fact: FactBody) => void facts.push(fact),
    };
  };

  it("moves an issue, and writes it down before", async () => {
    const board = new MemoryBoard();
    const { id, identifier } = board.add();
    const account = run();
    const record = (fact: FactBody): void => {
      expect(board.get(id).state).toBe("Todo");
      account.facts.push(fact);
    };
    const [tool] = new MemoryTracker(board, scope).tools({ ...account, record });
    expect(await tool?.call({ id: identifier, state: "Done" }, "call-1", never)).toMatchObject({ ok: true });
    expect(board.get(id).state).toBe("Done");
    expect(account.facts.map(({ type }) => type)).toEqual(["tool_started", "tool_called"]);
  });

  it("refuses an issue that is not there, in words", async () => {
    const account = run();
    const [tool] = new MemoryTracker(new MemoryBoard(), scope).tools(account);
    const answer = await tool?.call({ id: "MT-9", state: "Done" }, "call-1", never);
    expect(answer).toEqual({ ok: false, text: "there is no such issue" });
    expect(account.facts).toMatchObject([{ type: "tool_called", ok: false }]);
  });
});
