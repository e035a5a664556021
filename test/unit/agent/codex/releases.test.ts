import { expect, test } from "vitest";
import { isReleased, lackedBy, TESTED_RELEASE } from "../../../../src/agent/codex/releases.ts";

test.each([
  ["0.40.0", ["the request turn/steer"]],
  ["0.98.0", ["the request turn/steer"]],
  ["0.99.0", null],
  ["0.114.9", null],
  ["0.115.0", []],
  ["0.130.0-alpha.1", []],
  [`${TESTED_RELEASE}.0`, []],
  ["0.170.0", null],
  ["1.0.0", null],
])("by its number %s lacks %j", (version, lacks) => expect(lackedBy(version)).toEqual(lacks));

test("a build of one's own has a number that says nothing", () => {
  expect(isReleased("0.0.0")).toBe(false);
  expect(isReleased("0.169.0")).toBe(true);
});
