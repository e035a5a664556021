import { expect, test } from "vitest";
import { countUpTo, oneOf, someText } from "../../../src/cli/options.ts";

test("a word is one of those that are allowed", () => {
  expect(oneOf("json", "text")("json")).toBe("json");
  expect(() => oneOf("json", "text")("JSON")).toThrow("one of json, text");
});

test.each(["0", "-1", "1.5", "1e1", "", " 3", "11"])("%j is no count up to 10", (text) => {
  expect(() => countUpTo(10)(text)).toThrow("from 1 to 10");
});

test("a count may be the most there may be", () => {
  expect(countUpTo(10)("10")).toBe(10);
});

test("an empty path is a script's variable that was not set", () => {
  expect(() => someText(" ")).toThrow("must not be empty");
  expect(someText(" a")).toBe(" a");
});
