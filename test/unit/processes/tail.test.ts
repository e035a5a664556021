import { expect, test } from "vitest";
import { Tail } from "../../../src/processes/tail.ts";

const textOf = (bytesMax: number, chunks: readonly Buffer[]): string => {
  const tail = new Tail(bytesMax);
  for (const chunk of chunks) tail.add(chunk);
  return tail.text();
};

test("keeps the last bytes of any number of chunks", () => {
  const chunks = Array.from({ length: 5000 }, (_, i) => Buffer.from(`line ${i}\n`));
  expect(textOf(20, chunks)).toBe("line 4998\nline 4999");
  expect(textOf(100, [])).toBe("");
});

test("leaves out a character that was cut in two", () => {
  expect(textOf(4, [Buffer.from("€€")])).toBe("€");
  expect(textOf(7, [Buffer.from("𝄞𝄞")])).toBe("𝄞");
});

test("shows no colours", () => {
  expect(textOf(100, [Buffer.from("\u001b[31mERROR\u001b[0m gone\n\n")])).toBe("ERROR gone");
});
