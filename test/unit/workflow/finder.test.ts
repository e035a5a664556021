import { expect, test } from "vitest";
import { finder } from "../../../src/workflow/finder.ts";

test("a word is found from each offset on, and infinitely far when it does not come again", () => {
  const next = finder("a--b--", "--");
  expect([0, 1, 2, 4, 5, 6].map(next)).toEqual([
    1,
    1,
    4,
    4,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
});
