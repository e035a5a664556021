import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plain, plainEnds } from "../../../src/facts/plain.ts";

test("escape sequences go, what they wrapped stays", () => {
  expect(plain("\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007", 99)).toBe("red link");
});

test("lines become one, white space one space", () => {
  expect(plain("  a\r\n\tb\u2028c\u00a0 d  ", 99)).toBe("a bc d");
});

test("characters that hide or reorder text are left out", () => {
  expect(plain("ab\u202ecd\u200bef\u{e0041}", 99)).toBe("abcdef");
});

test("a long text ends with an ellipsis, never in half a character", () => {
  expect(plain("abcdef", 5)).toBe("abcd…");
  expect(plain("abc😀😀", 5)).toBe("abc…");
  expect(plain("x".repeat(1_000_000), 10)).toBe("xxxxxxxxx…");
});

test("ordinary text stays as it is, and cleaning twice is cleaning once", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      const once = plain(text, 40);
      expect(once.length).toBeLessThanOrEqual(40);
      expect(plain(once, 40)).toBe(once);
    }),
    { seed: 3 },
  );
  expect(plain("Grüße, 世界 👍!", 99)).toBe("Grüße, 世界 👍!");
});

test("of a long error the beginning and the end are kept, on one plain line", () => {
  const text = `git clone failed:\n${"x".repeat(9_000)}\nfatal: no such host`;
  const line = plainEnds(text, 60);
  expect(line.length).toBeLessThanOrEqual(60);
  expect(line).toMatch(/^git clone failed: x+….*fatal: no such host$/);
  expect(plainEnds("a\tb", 60)).toBe("a b");
});
