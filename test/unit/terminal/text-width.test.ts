import { expect, test } from "vitest";
import { cutMiddle, cutTo, fillTo, widthOf, wrapTo } from "../../../src/terminal/text-width.ts";

test.each([
  ["abc", 3],
  ["·…", 2],
  ["日本", 4],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
])("%s takes %i columns", (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test("a text that is too wide is cut at a whole character, and says so", () => {
  expect(cutTo(5, "abcde")).toBe("abcde");
  expect(cutTo(5, "abcdef")).toBe("abcd…");
  expect(cutTo(4, "日本語")).toBe("日…");
  expect(cutTo(6, "word and more")).toBe("word…");
  expect(cutTo(0, "a")).toBe("");
});

test("a text is filled up to a width, and never cut by that", () => {
  expect(fillTo(5, "日本")).toBe(" ");
  expect(fillTo(1, "abc")).toBe("");
});

test("lines break at spaces, and a long word has a line of its own", () => {
  expect(wrapTo(7, "one two three")).toEqual(["one two", "three"]);
  expect(wrapTo(4, "a unbreakable b")).toEqual(["a", "unbreakable", "b"]);
  expect(wrapTo(4, "")).toEqual([""]);
});

test("cut in the middle, a text keeps its beginning and more of its end", () => {
  expect(cutMiddle(12, "short")).toBe("short");
  expect(cutMiddle(12, "fatal: cannot open the file")).toBe("fat…the file");
  expect(widthOf(cutMiddle(11, "検索結果が空のときの表示"))).toBeLessThanOrEqual(11);
  expect(cutMiddle(2, "abcdef")).toBe("a…");
});
