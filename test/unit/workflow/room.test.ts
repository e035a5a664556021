import { expect, test } from "vitest";
import { INPUT_CHARACTERS_MAX, lengthOf, roomBeside, withNote } from "../../../src/workflow/room.ts";

const long = (left: number): string => "x".repeat(INPUT_CHARACTERS_MAX - left);

test("a note goes after the text, whole where both fit", () => {
  expect(withNote("text", "note")).toBe("text\n\nnote");
  expect(withNote(long(302), "n".repeat(300))).toHaveLength(INPUT_CHARACTERS_MAX);
});

test("a note that would make the input too long is cut, and left out where a part would say nothing", () => {
  const cut = withNote(long(302), "n".repeat(301));
  expect(cut.length).toBeLessThanOrEqual(INPUT_CHARACTERS_MAX);
  expect(cut).toMatch(/n… \(the rest is left out/);
  expect(withNote(long(100), "n".repeat(300))).toBe(long(100));
  expect(withNote(long(0), "note")).toBe(long(0));
});

test("characters are counted as Codex counts them, not in units", () => {
  const faces = "😀".repeat(INPUT_CHARACTERS_MAX - 10);
  expect(lengthOf(faces)).toBe(INPUT_CHARACTERS_MAX - 10);
  expect(roomBeside(faces)).toBe(8);
});
