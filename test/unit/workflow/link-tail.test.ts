import { expect, test } from "vitest";
import { linkTail } from "../../../src/workflow/link-tail.ts";

test.each([
  ["()", 2],
  ["(a) b", 3],
  ["( a(b)c ) d", 9],
  ["(<a ) b>) c", 9],
  ["(a\\)b) c", 6],
  ['(a "b ) c") d', 11],
  ["(a 'b\nc') d", 9],
  ["(a (b)) c", 7],
  ["(a b)", null],
  ["(a", null],
  ["(<a)", null],
  ['(a "b)', null],
  [`${"(".repeat(40)}${")".repeat(40)}`, null],
])("behind a link's text, %s is its address up to %s", (text, end) => {
  expect(linkTail(text, 0)).toBe(end);
});
