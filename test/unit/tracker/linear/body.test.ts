import { expect, test } from "vitest";
import { bodyDepthMax, bodyOf, bodyValuesMax, BodyRefused } from "../../../../src/tracker/linear/body.ts";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

const read = (body: string | Uint8Array<ArrayBuffer> | null, max = 1_000_000): Promise<string> =>
  bodyOf(new Response(body), max);

/** A body in pieces of one byte. */
const inBytes = (text: string): Response => {
  const bytes = new TextEncoder().encode(text);
  return new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    }),
  );
};

test("a body is read whole, however it arrives", async () => {
  const text = `{"title": "ä€😀 ${"x".repeat(100_000)}"}`;
  expect(await read(text)).toBe(text);
  expect(await bodyOf(inBytes(text), 1_000_000)).toBe(text);
  expect(await read(null)).toBe("");
});

test("bytes that are no text are replaced", async () => {
  expect(await read(Uint8Array.of(0x61, 0xff, 0x62))).toBe("a\ufffdb");
});

test("a body of as many bytes as allowed is read, one byte more is not", async () => {
  expect(await read("x".repeat(100_000), 100_000)).toHaveLength(100_000);
  await expect(read("x".repeat(100_001), 100_000)).rejects.toThrow(BodyRefused);
  await expect(bodyOf(inBytes("x".repeat(101)), 100)).rejects.toThrow("larger than 100 bytes");
});

test("a body that is nested too deeply is not looked into", async () => {
  expect(await read(nested(bodyDepthMax))).toBe(nested(bodyDepthMax));
  await expect(read(nested(bodyDepthMax + 1))).rejects.toThrow("nested deeper");
  await expect(read(`{"a":`.repeat(bodyDepthMax + 1))).rejects.toThrow(BodyRefused);
});

test("a body of very many values is not looked into", async () => {
  const list = (count: number): string => `[{}${",{}".repeat(count - 1)}]`;
  const roomy = 10_000_000;
  // Each object is a value, and so is what separates it from the next.
  expect(await read(list(bodyValuesMax / 2 - 1), roomy)).toHaveLength(bodyValuesMax * 1.5 - 2);
  await expect(read(list(bodyValuesMax / 2 + 1), roomy)).rejects.toThrow("more than 500000 values");
});

test("brackets and commas in strings are text", async () => {
  const text = JSON.stringify({ a: `"\\${"[{,".repeat(200_000)}` });
  expect(await read(text)).toBe(text);
});
