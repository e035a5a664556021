import { expect, test } from "vitest";
import { MarkdownLine } from "../../../src/workflow/markdown-line.ts";

const lineOf = (text: string): MarkdownLine => new MarkdownLine(text, 0, text.length);

test("a tab goes on to the next fourth column, and can be taken in part", () => {
  const line = lineOf(" \ta");
  expect([line.indent, line.wordAt, line.isBlank]).toEqual([4, 2, false]);
  line.take(2);
  expect([line.at, line.indent, line.isAtBlank]).toEqual([1, 2, true]);
  line.take(2);
  expect([line.at, line.indent, line.words]).toEqual([2, 0, "a"]);
});

test("what was taken can be given back, and a line of blanks has no word", () => {
  const line = lineOf("  a  ");
  const begin = line.mark();
  line.toWord();
  line.take(1);
  expect(line.isBlank).toBe(true);
  line.backTo(begin);
  expect(line.words).toBe("a  ");
});
