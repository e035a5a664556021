import { expect, test } from "vitest";
import { addTokens, highWater, noTokens, spentSince } from "../../../src/domain/run.ts";

const tokens = (input: number, output: number) => ({ ...noTokens, input, output, total: input + output });

test("tokens are added field by field", () => {
  expect(addTokens(tokens(1, 2), tokens(10, 20))).toEqual(tokens(11, 22));
});

test("a total that shrinks or repeats leaves the account where it was", () => {
  expect(highWater(tokens(5, 5), tokens(3, 7))).toEqual({ ...noTokens, input: 5, output: 7, total: 10 });
  expect(highWater(tokens(5, 5), tokens(5, 5))).toEqual(tokens(5, 5));
});

test("what was spent since is never less than nothing", () => {
  expect(spentSince(tokens(7, 3), tokens(5, 5))).toEqual({ ...noTokens, input: 2, output: 0, total: 0 });
});
