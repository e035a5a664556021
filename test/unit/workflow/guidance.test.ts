import { expect, test } from "vitest";
import { continuationGuidance } from "../../../src/workflow/workflow.ts";

test("a later turn is told that the issue is still active, which turn it is, and not to start over", () => {
  const text = continuationGuidance({ identifier: "MT-7", turn: 3, turnsMax: 20, attempt: null });
  expect(text).toMatch(/^MT-7 is still in an active state.*turn 3 of at most 20/);
  expect(text).toContain("Do not start over");
});

test("the first turn of a resumed thread is told that a new session begins", () => {
  const text = continuationGuidance({ identifier: "MT-7", turn: 1, turnsMax: 20, attempt: 2 });
  expect(text).toMatch(/^A new session \(number 3\) on MT-7 begins/);
});
