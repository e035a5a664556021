import { expect, test } from "vitest";
import { noTokens } from "../../../src/domain/run.ts";
import { after, instant } from "../../../src/domain/time.ts";
import { clockTime, counted, inTime, number, tokenWords } from "../../../src/facts/words.ts";

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
