import { expect, test } from "vitest";
import { noTokens } from "../../../src/domain/run.ts";
import { after, instant } from "../../../src/domain/time.ts";
import { clockTime, counted, duration, inTime, number, tokenWords } from "../../../src/facts/words.ts";

test("durations are said in the two units that matter, rounded without carrying over", () => {
  const said: readonly (readonly [number, string])[] = [
    [-5, "0 ms"],
    [0, "0 ms"],
    [999.6, "1.0 s"],
    [4_200, "4.2 s"],
    [59_940, "59.9 s"],
    [59_970, "1 min"],
    [200_000, "3 min 20 s"],
    [3_599_700, "1 h"],
    [7_500_000, "2 h 5 min"],
    [86_399_000, "1 d"],
    [93_784_000, "1 d 2 h"],
  ];
  for (const [ms, words] of said) expect(duration(ms), String(ms)).toBe(words);
});

test("a time to come is said as a distance, a past one as now", () => {
  const at = instant(1_000_000);
  expect(inTime(after(at, 10_000), at)).toBe("in 10.0 s");
  expect(inTime(after(at, -1), at)).toBe("now");
  expect(clockTime(instant(Number.NaN))).toBe("an unknown time");
  expect(clockTime(instant(0))).toBe("1970-01-01 00:00:00 UTC");
});

test("numbers are grouped the same everywhere", () => {
  expect([0, 999, 1_000, 1_234_567].map(number)).toEqual(["0", "999", "1,000", "1,234,567"]);
  expect(counted(1, "turn")).toBe("1 turn");
  expect(counted(2, "turn")).toBe("2 turns");
  expect(tokenWords(noTokens)).toBe("no tokens");
});
