import { describe, expect, test } from "vitest";
import { closest } from "../../../src/workflow/suggest.ts";

describe("did you mean", () => {
  test.each([
    ["max_trns", "max_turns"],
    ["max_tursn", "max_turns"],
    ["MAX_TURNS", "max_turns"],
    ["kind", null],
    ["x", null],
    ["", null],
    ["max_turns".repeat(1000), null],
  ])("%s: %s", (word, meant) => {
    expect(closest(word, ["max_turns", "interval_ms"])).toBe(meant);
  });

  test("two neighbours swapped are one slip", () => {
    expect(closest("knid", ["kind"])).toBe("kind");
    expect(closest("kxxd", ["kind"])).toBeNull();
  });
});
