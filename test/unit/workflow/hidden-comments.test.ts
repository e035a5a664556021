import { expect, test } from "vitest";
import { hiddenComments } from "../../../src/workflow/hidden-comments.ts";

const hidden = (text: string): readonly string[] =>
  hiddenComments(text).map(({ from, to }) => text.slice(from, to));

test("comments are found in their order, over the marks of quotes too, and none of code", () => {
  expect(hidden("> a <!-- b\n> c --> d\n\n```\n<!-- e -->\n```\n- <!-- f --> `<!-- g -->`")).toEqual([
    "<!-- b\n> c -->",
    "<!-- f -->",
    "<!-- g -->",
  ]);
});

test("a comment that HTML leaves open hides all that follows, whatever it is", () => {
  expect(hidden("a\n\n<!-- b\n\n```\n<!-- c -->")).toEqual(["<!-- b\n\n```\n<!-- c -->"]);
});

test("where nobody can tell what is code, each comment that is closed is hidden", () => {
  expect(hidden(`${"> ".repeat(60)}\`<!-- a -->\` <!-- b`)).toEqual(["<!-- a -->"]);
});
