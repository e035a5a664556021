import { expect, test } from "vitest";
import { Budget } from "../../../../src/demo/board/budget.ts";

const HOUR_MS = 3_600_000;

test("a budget is used up by requests or by points, and fills up again evenly, as Linear's does", () => {
  let now = new Date(0);
  const budget = new Budget({ requests: 2, complexity: 100 }, () => now);
  budget.spend(1);
  expect(budget.isUsedUp()).toBe(false);
  budget.spend(1);
  expect(budget.isUsedUp()).toBe(true);
  now = new Date(HOUR_MS / 2 - 1);
  expect(budget.isUsedUp()).toBe(true);
  now = new Date(HOUR_MS / 2);
  expect(budget.isUsedUp()).toBe(false);
  budget.spend(100);
  expect(budget.isUsedUp()).toBe(true);
  now = new Date(HOUR_MS);
  expect(budget.isUsedUp()).toBe(false);
  expect(budget.headers()["x-ratelimit-complexity-remaining"]).toBe("50");
});

test("its headers say what is left, never less than nothing, and when it is whole again", () => {
  const budget = new Budget({ requests: 1, complexity: 10 }, () => new Date(5));
  budget.spend(25);
  expect(budget.headers()).toMatchObject({
    "x-ratelimit-requests-remaining": "0",
    "x-ratelimit-requests-reset": String(5 + HOUR_MS),
    "x-ratelimit-complexity-limit": "10",
    "x-ratelimit-complexity-reset": String(5 + 2.5 * HOUR_MS),
    "x-ratelimit-complexity-remaining": "0",
  });
  expect(budget.usedUp(new Date(77))["x-ratelimit-requests-reset"]).toBe("77");
});
