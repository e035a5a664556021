import { expect, test } from "vitest";
import { snakeCase } from "../../../src/cli/snake-case.ts";

test("keys are spelt as in SPEC.md at every depth, values stay as they are", () => {
  const value = {
    maxTurns: 3,
    list: [{ readTimeoutMs: "someText" }],
    map: new Map([["inProgress", 1]]),
    none: null,
  };
  expect(snakeCase(value)).toEqual({
    max_turns: 3,
    list: [{ read_timeout_ms: "someText" }],
    map: { in_progress: 1 },
    none: null,
  });
});
