import { describe, expect, it } from "vitest";
import { fullStamp, relative, sinceStart, span, stamp, tokenCount } from "../../../src/terminal/amounts.ts";
import { after, instant } from "../../../src/domain/time.ts";
import { now } from "../cli/history.ts";

describe("token counts", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1k"],
    [12_345, "12.3k"],
    [99_960, "100k"],
    [340_000, "340k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_240_000, "1.2M"],
    [40_000_000, "40M"],
  ])("%i reads %s", (tokens, text) => expect(tokenCount(tokens)).toBe(text));
});

describe("spans", () => {
  it.each([
    [-5, "0.0s"],
    [420, "0.4s"],
    [9_949, "9.9s"],
    [9_950, "10s"],
    [59_400, "59s"],
    [59_600, "1m00s"],
    [200_000, "3m20s"],
    [3_599_700, "1h00m"],
    [3_720_000, "1h02m"],
    [100 * 3_600_000, "4d04h"],
  ])("%i ms reads %s", (ms, text) => expect(span(ms)).toBe(text));
});

describe("times", () => {
  it.each([
    [0, "now"],
    [42_000, "42 s ago"],
    [3 * 60_000, "3 min ago"],
    [26 * 3_600_000, "26 h ago"],
    [12 * 86_400_000, "12 d ago"],
    [-40_000, "in 40 s"],
  ])("%i ms before now reads %s", (ms, text) => expect(relative(after(now, -ms), now)).toBe(text));

  it("name the year only when it is not this one", () => {
    const lastYear = instant(new Date(2030, 11, 31, 23, 59).getTime());
    expect(stamp(now, now)).toBe("05-09 12:00");
    expect(stamp(lastYear, now)).toBe("2030-12-31 23:59");
  });

  it("have seconds where somebody waits for them", () => expect(fullStamp(now)).toBe("2031-05-09 12:00:00"));

  it.each([
    [-1, "0:00"],
    [42_900, "0:42"],
    [200_000, "3:20"],
    [3_909_000, "1:05:09"],
  ])("%i ms into a run read %s", (ms, text) => expect(sinceStart(ms)).toBe(text));
});
