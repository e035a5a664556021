import { expect, test } from "vitest";
import { stateKey } from "../../../src/domain/issue.ts";

test("states are the same whatever their case and the space around them, and no more than that", () => {
  expect(stateKey("  In Progress ")).toBe(stateKey("in progress"));
  expect(stateKey("In  Progress")).not.toBe(stateKey("In Progress"));
});
