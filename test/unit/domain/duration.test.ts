import { expect, test } from "vitest";
import { duration } from "../../../src/domain/duration.ts";

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
