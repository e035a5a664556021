import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codeOf, fieldsOf, isFields } from "../../../src/domain/value.ts";

test("lists, null and plain values have no members to be looked at", () => {
  expect([{}, { a: 1 }, [], null, "a", 1, undefined].map(isFields)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(fieldsOf([1])).toEqual({});
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
});

test("the system's name of an error is told, and no other's code", () => {
  try {
    readFileSync("/nobody/has/this");
  } catch (error) {
    expect(codeOf(error)).toBe("ENOENT");
  }
  expect([codeOf(new Error("x")), codeOf({ code: 5 }), codeOf(null), codeOf("ENOENT")]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
