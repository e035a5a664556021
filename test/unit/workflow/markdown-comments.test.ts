import { expect, test } from "vitest";
import { commentsOfHtml, commentsOfText } from "../../../src/workflow/markdown-comments.ts";

const inText = (text: string): readonly string[] =>
  commentsOfText(text).map(({ from, to }) => text.slice(from, to));

test("in HTML a comment is one wherever it is, and may never be closed", () => {
  expect(commentsOfHtml("`<!-->` <!-- a --!> <!-- b")).toEqual([
    { from: 1, to: 6 },
    { from: 8, to: 19 },
    { from: 20, to: null },
  ]);
});

test.each([
  ["`<!-- a -->` <!-- b -->", ["<!-- b -->"]],
  ["`` ` <!-- a --> `` <!-- b -->", ["<!-- b -->"]],
  ["``<!-- a -->` b", ["<!-- a -->"]],
  ["\\`<!-- a -->`", ["<!-- a -->"]],
  ["`a\\` <!-- b -->`", ["<!-- b -->"]],
  ["<!-- ` --> <!-- b --> `", ["<!-- ` -->", "<!-- b -->"]],
  ["<!-- a", []],
  ["<? ` ?> <!-- a --> `", ["<!-- a -->"]],
  ['<a b="`"> <!-- a --> `', ["<!-- a -->"]],
  ["[a](b) `<!-- c -->`", []],
  ["[a](b`) <!-- c --> `", ["<!-- c -->"]],
  ["|a|b|\n|-|-|\n|`|<!-- c -->`|`<!-- d -->`|", ["<!-- c -->"]],
])("in a paragraph, %s has the comments %j", (text, comments) => expect(inText(text)).toEqual(comments));
