import { describe, expect, it } from "vitest";
import { issueId } from "../../../src/domain/issue.ts";
import { instant } from "../../../src/domain/time.ts";
import { MemoryBoard } from "../../../src/tracker/memory-board.ts";

describe("a board in memory", () => {
  it("gives edits the time of the clock it was made with", () => {
    let at = 5;
    const board = new MemoryBoard({ clock: () => instant(at) });
    const { id } = board.add();
    at = 9;
    expect(board.edit(id, { state: "Done" })).toMatchObject({ createdAt: 5, updatedAt: 9 });
  });

  it("counts time by edits when it has no clock", () => {
    const board = new MemoryBoard();
    const [first, second] = [board.add(), board.add()];
    expect(second.createdAt - first.createdAt).toBe(1_000);
    board.move(first.id, "Done");
    expect(board.get(first.id).updatedAt).toBeGreaterThan(second.updatedAt);
  });

  it("never gives an id twice, also after an issue is gone", () => {
    const board = new MemoryBoard();
    board.add();
    const second = board.add();
    board.remove(second.id);
    expect(board.add().id).not.toBe(second.id);
  });

  it("takes a label off whatever its case", () => {
    const board = new MemoryBoard();
    const { id } = board.add({ labels: ["Baton", "Bug"] });
    board.unlabel(id, " baton ");
    expect(board.get(id).labels).toEqual(["Bug"]);
  });

  it("says of a blocker that is gone only its id", () => {
    const board = new MemoryBoard();
    const [issue, blocker] = [board.add(), board.add({ state: "Doing" })];
    board.block(issue.id, blocker.id);
    expect(board.blockersOf(board.get(issue.id))).toEqual([
      { id: blocker.id, identifier: blocker.identifier, state: "Doing" },
    ]);
    board.remove(blocker.id);
    expect(board.blockersOf(board.get(issue.id))).toEqual([
      { id: blocker.id, identifier: null, state: null },
    ]);
  });

  it("knows its users by address and by what the key calls itself", () => {
    const users = [
      { id: "u1", name: "Ada", email: "ada@example.com" },
      { id: "u2", name: "Bob", email: "bob@example.com" },
    ];
    const board = new MemoryBoard({ users });
    expect([null, "me", "bob@example.com", "u9"].map((who) => board.userId(who))).toEqual([
      null,
      "u1",
      "u2",
      "u9",
    ]);
  });

  it("refuses an edit of what is not there: a mistake in the test", () => {
    expect(() => new MemoryBoard().move(issueId("issue-9"), "Done")).toThrow("no issue issue-9");
  });
});
