import { describe, expect, it } from "vitest";
import { shapes, nameOf, problemOf } from "../../../../src/tracker/linear/shapes.ts";
import { record } from "./line.ts";

const lean = (change: object) => shapes().lean.safeParse({ ...record(1), ...change }).success;

describe("a record", () => {
  it.each([
    ["an id with a blank", { id: "a b" }],
    ["a long id", { id: "a".repeat(129) }],
    ["an identifier that turns text around", { identifier: "MT-1\u202e" }],
    ["a blank title", { title: " \u0007 " }],
    ["no state", { state: null }],
    ["a state with a line break", { state: { name: "a\nb" } }],
    ["a time of archiving that is none", { archivedAt: 5 }],
    ["a trash that is neither yes nor no", { trashed: "no" }],
    ["an assignee without an id", { assignee: {} }],
  ])("with %s cannot be read: it could start or stop work", (_, change) => {
    expect(lean(change)).toBe(false);
  });

  it.each([
    ["a priority", { priority: "high" }],
    ["a date", { createdAt: [] }],
    ["an emoji in its state", { state: { name: "👩‍💻 Doing" } }],
  ])("with %s of any form can: it only decorates", (_, change) => {
    expect(lean(change)).toBe(true);
  });

  it("whose lists are longer than any issue has is refused before they are looked at", () => {
    const labels = { nodes: Array.from({ length: 1_001 }, () => 0) };
    const parsed = shapes().issue.safeParse({ ...record(1), inverseRelations: { nodes: [] }, labels });
    expect(parsed.error?.issues).toMatchObject([
      { path: ["labels", "nodes"], message: "more than 1000 items" },
    ]);
  });
});

describe("a scan's page", () => {
  it("that does not say whether it is the last is not read", () => {
    expect(shapes().scanPage.safeParse({ issues: { nodes: [] } }).success).toBe(false);
  });
});

describe("what cannot be read", () => {
  it.each([
    [{ identifier: "MT-1", id: "x" }, "MT-1"],
    [{ id: "x" }, "x"],
    [null, "an issue without a readable id"],
  ])("%j is called %s", (value, name) => {
    expect(nameOf(value)).toBe(name);
  });

  it("says first where it is wrong", () => {
    const { error } = shapes().lean.safeParse({ ...record(1), state: {} });
    expect(error === undefined ? "" : problemOf(error)).toMatch(/^state\.name: /);
  });
});
