import { expect, test } from "vitest";
import { gate } from "../../../src/demo/model/reply.ts";
import { adds, begin, changes, edits, finish, pause, runs, runsAfter } from "../../../src/demo/steps.ts";
import { traces } from "../../../src/demo/model/reply.ts";

const parts = (step: unknown) => step as readonly { readonly do: string; readonly text?: unknown }[];

test("a step says what comes next, and makes one call", () => {
  expect(parts(runs("I look.", "ls")).map((part) => part.do)).toEqual(["usage", "wait", "say", "call"]);
  expect(parts(edits("I write.", adds("a", "b"))).map((part) => part.do)).toEqual([
    "usage",
    "wait",
    "say",
    "patch",
  ]);
});

test("edits are one patch in Codex's format", () => {
  const patch = parts(edits("I write.", adds("new", "one", "two"), changes("old", "was", "is"))).at(-1);
  expect(patch?.text).toBe(
    [
      "*** Begin Patch",
      "*** Add File: new",
      "+one",
      "+two",
      "*** Update File: old",
      "@@",
      "-was",
      "+is",
      "*** End Patch",
      "",
    ].join("\n"),
  );
});

test("a step that waits for others waits before it says a word", () => {
  expect(parts(runsAfter(gate(), "I fetch.", () => "git fetch"))[0]?.do).toBe("hold");
});

test("a turn goes on until its last step, which calls nothing", () => {
  const calls = (step: unknown): boolean =>
    parts(step).some((part) => part.do !== "say" && traces(part as Parameters<typeof traces>[0]) > 0);
  expect([...begin, ...finish("m", "r")].map(calls)).toEqual([true, true, true, true, true, true, false]);
  expect(calls(pause("Done."))).toBe(false);
});
