import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Excerpt } from "../../../src/processes/excerpt.ts";

const excerptOf = (chunks: readonly string[], bytesMax: number): string => {
  const excerpt = new Excerpt(bytesMax);
  for (const chunk of chunks) excerpt.add(Buffer.from(chunk));
  return excerpt.text();
};

describe("an excerpt", () => {
  test("is the whole text when that is short enough", () => {
    expect(excerptOf(["ab", "cd"], 4)).toBe("abcd");
    expect(excerptOf([" a\n", "b\n\n"], 100)).toBe("a\nb");
    expect(excerptOf([], 4)).toBe("");
  });

  test("is the beginning and the end of a long text, and says what is missing", () => {
    expect(excerptOf(["abc", "defg", "hij"], 4)).toBe("ab\n[... 6 bytes left out ...]\nij");
  });

  test("does not depend on how the text was split", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (chunks) => {
        expect(excerptOf(chunks, 10)).toBe(excerptOf([chunks.join("")], 10));
      }),
    );
  });

  test("shows no remains of a character cut in two", () => {
    expect(excerptOf(["aé".repeat(10)], 4)).toBe("a\n[... 26 bytes left out ...]\né");
    expect(excerptOf(["é".repeat(10)], 6)).toBe("é\n[... 14 bytes left out ...]\né");
  });
});
