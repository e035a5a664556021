import { describe, expect, test } from "vitest";
import type * as z from "zod";
import {
  about,
  bytes,
  choice,
  flag,
  integer,
  milliseconds,
  labels,
  names,
  someText,
  text,
  TIMER_MAX_MS,
} from "../../../src/workflow/keys.ts";

/** What a value becomes; of one that is refused, all that is said. */
function read(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  return success ? data : error.issues.map(({ message }) => message).join(" | ");
}

describe("a whole number", () => {
  test.each([
    [7, 7],
    ["7", 7],
    [" +7 ", 7],
    ["40_000_000", 40_000_000],
    ["-0", -0],
  ])("%j is %d", (value, number) => {
    expect(read(integer({ min: -5 }), value)).toBe(number);
  });

  test.each([1.5, "1.5", "1e3", "_1", "1_", "1__0", "0x10", "", true, null, [1], Number.NaN])(
    "%j is none, and one sentence says what is",
    (value) => {
      expect(read(integer({ min: 1 }), value)).toBe("must be a whole number of at least 1");
    },
  );

  test("more than a number holds exactly is refused, as a number and as text", () => {
    for (const value of [2 ** 60, `${2n ** 60n}`])
      expect(read(integer({ min: 1 }), value)).toContain("must be a whole number of at least 1");
  });

  test("both ends of the range belong to it, as numbers and as text", () => {
    const range = integer({ min: 2, max: 4 });
    const refusal = "must be a whole number of at least 2 and at most 4";
    expect([1, "1", 2, "2", 4, "4", 5, "5"].map((value) => read(range, value))).toEqual([
      refusal,
      refusal,
      2,
      2,
      4,
      4,
      refusal,
      refusal,
    ]);
  });

  test("a range that is open below is told by its other end alone", () => {
    const open = integer({ min: Number.MIN_SAFE_INTEGER, max: 9 });
    expect(read(open, "x")).toBe("must be a whole number at most 9");
    expect(read(integer({ min: Number.MIN_SAFE_INTEGER }), "x")).toBe("must be a whole number");
  });

  test("keys of one range share a schema, those of another do not", () => {
    expect(integer({ min: 3, max: 8 })).toBe(integer({ min: 3, max: 8 }));
    expect(integer({ min: 3 })).not.toBe(integer({ min: 3, max: 8 }));
  });

  test("a time is what a timer can wait for, and not more", () => {
    expect(read(milliseconds(), TIMER_MAX_MS)).toBe(2 ** 31 - 1);
    expect(read(milliseconds(), 2 ** 31)).toContain("at most 2147483647");
    expect(read(milliseconds(), 0)).toContain("at least 1");
    expect(read(milliseconds(0), 0)).toBe(0);
  });
});

test("a size is bytes or has a unit, and its lower bound holds for both", () => {
  const size = bytes({ min: 1_000 });
  expect([1_000, "1000", "1KB", "1 KiB"].map((value) => read(size, value))).toEqual([
    1_000, 1_000, 1_000, 1_024,
  ]);
  for (const value of [999, "999", "0.9KB", "1 mile", 1_000.5, null])
    expect(read(size, value)).toContain("must be a size of at least ");
});

test("names are a list or one text: trimmed, without empty ones and repetitions, in their order", () => {
  expect(read(names(), [" b ", "a", "", "b"])).toEqual(["b", "a"]);
  expect(read(names(), "b, a,,b ,")).toEqual(["b", "a"]);
  expect(read(names(), "")).toEqual([]);
  for (const value of [3, { a: 1 }, ["a", 3], null])
    expect(read(names(), value)).toContain("must be a list of names or one comma-separated string");
});

test("text is text: a number is not taken for one, and `someText` wants something to see", () => {
  expect(read(text(), "")).toBe("");
  expect(read(text(), 42)).toContain("must be text (put quotes around it");
  expect(read(someText(), " a ")).toBe(" a ");
  for (const value of ["", " \n\t", 42])
    expect(read(someText(), value)).toBe("must be text that is not empty");
});

test("labels keep one blank name, so that a blank label is not the same as none", () => {
  expect(read(labels(), [" b ", "", " "])).toEqual(["b", ""]);
  expect(read(labels(), "")).toEqual([""]);
  expect(read(labels(), "b, a,,b ,")).toEqual(["b", "a"]);
  expect(read(labels(), [])).toEqual([]);
  expect(read(labels(), 7)).toContain("must be a list of names or one comma-separated string");
});

test("a choice names all that can be chosen, and a flag is neither yes nor 1", () => {
  expect(read(choice(["a", "b"]), "b")).toBe("b");
  expect(read(choice(["a", "b"]), "B")).toBe("must be one of `a`, `b`");
  expect(read(flag(), false)).toBe(false);
  for (const value of ["yes", "true", 1]) expect(read(flag(), value)).toBe("must be true or false");
});

test("a key without a usual value shows none, one that is usually off shows that", () => {
  expect(about("what")).toEqual({ description: "what" });
  expect("default" in about("what")).toBe(false);
  expect(about("what", false)).toEqual({ description: "what", default: false });
});
