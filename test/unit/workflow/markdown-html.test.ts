import { expect, test } from "vitest";
import { htmlBegins, TAG } from "../../../src/workflow/markdown-html.ts";

test.each([
  ["<pre>", "</PRE>"],
  ["<!-- a", "b -->"],
  ["<?php", "?>"],
  ["<!DOCTYPE", "html>"],
  ["<![CDATA[", "]]>"],
])("%s begins lines of HTML that %s ends", (begins, ends) => {
  expect(htmlBegins(begins, true)?.test(ends)).toBe(true);
});

test("a block's tag begins lines of HTML up to an empty one; any other tag only alone, and in no paragraph", () => {
  expect(htmlBegins("<details> a", true)).toBeNull();
  expect(htmlBegins("</divan", true)).toBeUndefined();
  expect(htmlBegins('<x-a b="c" d>  ', false)).toBeNull();
  expect(htmlBegins("<x-a>", true)).toBeUndefined();
  expect(htmlBegins("<x-a> b", false)).toBeUndefined();
  expect(htmlBegins("a <div>", false)).toBeUndefined();
});

test.each(["<a>", "</a >", '<a b="`" c=d e/>', "<https://x/`>", "<a@b.c>"])(
  "%s is a tag or an address",
  (text) => {
    TAG.lastIndex = 0;
    expect(TAG.test(text) && TAG.lastIndex).toBe(text.length);
  },
);

test.each(["<a", "< a>", '<a b="c>', "<1>"])("%s is none", (text) => {
  TAG.lastIndex = 0;
  expect(TAG.test(text)).toBe(false);
});
