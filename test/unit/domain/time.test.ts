import { expect, test } from "vitest";
import { after, earlier, instant, later } from "../../../src/domain/time.ts";

const [one, two] = [instant(1), instant(2)];

test("null is never for the earlier of two, and any time for the later", () => {
  expect(earlier(one, two)).toBe(one);
  expect(earlier(null, two)).toBe(two);
  expect(earlier(one, null)).toBe(one);
  expect(earlier(null, null)).toBeNull();
  expect(later(one, two)).toBe(two);
  expect(later(one, null)).toBe(one);
});

test("after may be before", () => {
  expect(after(two, -1)).toBe(one);
});

test("every instant is whole, whatever it is made of: the ledger takes no other", () => {
  expect(instant(1.4)).toBe(1);
  expect(after(one, 0.6)).toBe(two);
  expect(instant(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
});
