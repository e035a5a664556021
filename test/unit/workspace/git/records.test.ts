import { expect, test } from "vitest";
import fc from "fast-check";
import { Records } from "../../../../src/workspace/git/records.ts";

function records(separator: string, ...chunks: readonly Buffer[]): readonly string[] {
  const found: string[] = [];
  const stream = new Records(separator, (record) => found.push(record));
  for (const chunk of chunks) stream.add(chunk);
  stream.end();
  return found;
}

test("records are the same however the stream is cut", () => {
  const text = "a\0über\0\0last";
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 5 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, n) => bytes.subarray(places[n], end));
      expect(records("\0", ...chunks)).toEqual(["a", "über", "", "last"]);
    }),
  );
});

test("a record without end is kept up to a bound, and what follows it is a record of its own", () => {
  const endless = Array.from({ length: 100 }, () => Buffer.alloc(10_000, "x"));
  const [first = "", second] = records("\n", ...endless, Buffer.from("\nnext\n"));
  expect(first.length).toBeLessThanOrEqual(64 * 1_024 + 10_000);
  expect(second).toBe("next");
});
