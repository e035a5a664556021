import { expect, test } from "vitest";
import { isCodexValue, isMap, spelled } from "../../../src/workflow/codex-words.ts";

test("a word is known in any dress, and nothing else is it", () => {
  const known = ["workspaceWrite", "readOnly"];
  expect(
    ["workspace_write", "Workspace-Write", "WORKSPACEWRITE"].map((word) => spelled(word, known)),
  ).toEqual(["workspaceWrite", "workspaceWrite", "workspaceWrite"]);
  expect(spelled("workspaceWrites", known)).toBeNull();
});

test("a map is what YAML makes of one, and no list, date or class", () => {
  expect([{}, Object.create(null)].every(isMap)).toBe(true);
  expect([[], new Date(), new Map(), null, "x"].some(isMap)).toBe(false);
});

test("Codex can be given what JSON can hold, as deep as any policy is", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  expect(isCodexValue({ a: [1, "x", null, { b: true }] })).toBe(true);
  expect(
    [undefined, Number.NaN, new Date(), { a: () => 1 }, nested(1_000)].some((value) => isCodexValue(value)),
  ).toBe(false);
});
