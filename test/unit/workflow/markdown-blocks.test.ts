import { expect, test } from "vitest";
import { leavesOf } from "../../../src/workflow/markdown-blocks.ts";

/** Each leaf as its kind and its lines. */
const seen = (text: string): readonly string[] =>
  (leavesOf(text) ?? []).map(
    ({ kind, lines }) => `${kind}: ${lines.map(({ from, to }) => text.slice(from, to)).join("/")}`,
  );

test.each([
  ["paragraphs, and code that is indented", "a\n b\r\n\n    c\nd", ["text: a/b", "text: d"]],
  ["indented lines of a paragraph", "a\n    b", ["text: a/b"]],
  ["headings and rules", "# a\nb\n---\nc\n***\nd\n====", ["text: # a", "text: b", "text: c", "text: d"]],
  ["fences", "a\n```js\nb\n``\n~~~\n```  \nc", ["text: a", "info: js", "text: c"]],
  ["a fence that is never closed", "~~~\na\n\nb", ["info: "]],
  ["a fence that is none", "``` a ` b\nc", ["text: ``` a ` b/c"]],
  ["quotes, which go on without a mark", "> a\nb\n> > c\n\nd", ["text: a/b", "text: c", "text: d"]],
  ["a fence in a quote, which ends with it", "> ```\n> a\nb", ["info: ", "text: b"]],
  [
    "lists, with fences in them",
    "- a\n  ```\n  b\n  ```\n\n  c\n10. d\n    ~~~\n    e",
    ["text: a", "info: ", "text: c", "text: d", "info: "],
  ],
  ["items that begin with an empty line", "-\n  a\n-\n\n  b", ["text: a", "text: b"]],
  ["code in an item", "-     a\n- b\n\n      c", ["text: b"]],
  ["numbers that begin a line of a paragraph", "in\n2024. it\n1. a", ["text: in/2024. it", "text: a"]],
  ["tabs", "-\ta\n\n\t\tb", ["text: a"]],
  [
    "HTML up to an empty line, and up to its end",
    "<div>\na\n\nb\n<pre>\n\nc</pre>\nd",
    ["html: <div>/a", "text: b", "html: <pre>//c</pre>", "text: d"],
  ],
])("%s are told apart", (_, text, leaves) => expect(seen(text)).toEqual(leaves));

test("what is nested deeper than anybody writes it is not told apart", () => {
  expect(leavesOf("> ".repeat(40))).not.toBeNull();
  expect(leavesOf("> ".repeat(60))).toBeNull();
});
