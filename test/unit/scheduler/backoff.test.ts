import { expect, test } from "vitest";
import { backoffMs } from "../../../src/scheduler/backoff.ts";

const CAP = 300_000;

test.each([
  [1, 10_000],
  [2, 20_000],
  [3, 40_000],
  [5, 160_000],
  [6, CAP],
  [31, CAP],
  [10_000, CAP],
])("after %i failures in a row the wait is %i ms", (failures, ms) => {
  expect(backoffMs(failures, CAP)).toBe(ms);
});

test("what did not fail waits as long as what failed once, and a cap below the first wait is kept", () => {
  expect(backoffMs(0, CAP)).toBe(10_000);
  expect(backoffMs(1, 5_000)).toBe(5_000);
});
