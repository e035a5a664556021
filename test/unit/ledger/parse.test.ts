import { expect, test } from "vitest";
import {
  born,
  count,
  flag,
  listOf,
  maybe,
  objectOf,
  oneIn,
  oneOf,
  orNull,
  text,
  Unfit,
  whole,
} from "../../../src/ledger/parse.ts";

test.each([
  [text, "a", 1],
  [count, 1.5, "1"],
  [whole, 3, -1],
  [whole, 0, 1.5],
  [flag, false, 0],
  [orNull(text), null, undefined],
  [maybe(text), undefined, null],
  [oneOf({ yes: true, no: true }), "no", "toString"],
  [oneIn(["yes", "no"]), "no", "toString"],
  [listOf(count), [1, 2], { 0: 1 }],
] as const)("a value that fits is what it was, another is refused: %#", (parse, fits, other) => {
  expect(parse(fits)).toEqual(fits);
  expect(() => parse(other)).toThrow(Unfit);
});

test("a value that stands for something is made into it", () => {
  expect(born(count, (n) => new Date(n))(0)).toEqual(new Date(0));
});

test("an object has its fields and no others; one that may be missing is missing", () => {
  const parse = objectOf<{ a: string; b?: number }>({ a: text, b: maybe(count) });
  expect(parse({ a: "x", b: 1, c: 2 })).toEqual({ a: "x", b: 1 });
  expect(Object.keys(parse({ a: "x" }))).toEqual(["a"]);
  expect(() => parse([])).toThrow(/is no object/);
});

test("what is wrong is named by its place, and not repeated at length", () => {
  const parse = objectOf<{ list: readonly { n: number }[] }>({
    list: listOf(objectOf<{ n: number }>({ n: count })),
  });
  expect(() => parse({ list: [{ n: 1 }, { n: "x".repeat(9_999) }] })).toThrow(
    /^\.list\[1\]\.n is no number: "x{39}$/,
  );
});
