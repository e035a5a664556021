import { expect, test } from "vitest";
import { BODY_DEPTH_MAX, BODY_VALUES_MAX, BodyRefused, textOf } from "../../../../src/tracker/linear/body.ts";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

const read = (body: string | Uint8Array, max = 1_000_000): Promise<string> =>
  textOf([Buffer.from(body)], max);

/** A body in pieces of one byte. */
async function* inBytes(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}

test("a body is read whole, however it arrives", async () => {
  const text = `{"title": "ä€😀 ${"x".repeat(100_000)}"}`;
  expect(await read(text)).toBe(text);
  expect(await textOf(inBytes(text), 1_000_000)).toBe(text);
  expect(await textOf([], 1_000_000)).toBe("");
});

test("bytes that are no text are replaced", async () => {
  expect(await read(Uint8Array.of(0x61, 0xff, 0x62))).toBe("a\ufffdb");
});

test("a body of as many bytes as allowed is read, one byte more is not", async () => {
  expect(await read("x".repeat(100_000), 100_000)).toHaveLength(100_000);
  await expect(read("x".repeat(100_001), 100_000)).rejects.toThrow(BodyRefused);
  await expect(textOf(inBytes("x".repeat(101)), 100)).rejects.toThrow("larger than 100 bytes");
});

test("a body that is nested too deeply is not looked into", async () => {
  expect(await read(nested(BODY_DEPTH_MAX))).toBe(nested(BODY_DEPTH_MAX));
  await expect(read(nested(BODY_DEPTH_MAX + 1))).rejects.toThrow("nested deeper");
  await expect(read(`{"a":`.repeat(BODY_DEPTH_MAX + 1))).rejects.toThrow(BodyRefused);
});

test("a body of very many values is not looked into", async () => {
  const list = (count: number): string => `[{}${",{}".repeat(count - 1)}]`;
  const roomy = 10_000_000;
  // Each object is a value, and so is what separates it from the next.
  expect(await read(list(BODY_VALUES_MAX / 2 - 1), roomy)).toHaveLength(BODY_VALUES_MAX * 1.5 - 2);
  await expect(read(list(BODY_VALUES_MAX / 2 + 1), roomy)).rejects.toThrow("more than 500000 values");
});

test("brackets and commas in strings are text", async () => {
  const text = JSON.stringify({ a: `"\\${"[{,".repeat(200_000)}` });
  expect(await read(text)).toBe(text);
});
