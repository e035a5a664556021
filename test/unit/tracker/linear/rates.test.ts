import { describe, expect, it } from "vitest";
import { ratesOf, retryAtOf } from "../../../../src/tracker/linear/rates.ts";
import { NOW } from "./line.ts";

const soon = NOW + 60_000;
const at = (headers: Readonly<Record<string, string>>) => retryAtOf(headers, NOW);

describe("rates", () => {
  it("are the numbers among the headers with the prefix, without it", () => {
    const headers = {
      "x-ratelimit-requests-limit": "5000",
      "x-ratelimit-note": "soon",
      "x-ratelimit-a": " ",
      "content-length": "7",
    };
    expect(ratesOf(headers)).toEqual({ "requests-limit": 5000 });
  });

  it("are at most 24 of one answer", () => {
    const headers = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`x-ratelimit-${n}`, "1"]));
    expect(Object.keys(ratesOf(headers))).toHaveLength(24);
  });
});

describe("the time to ask again", () => {
  it.each([
    ["seconds", { "retry-after": "60" }],
    ["a date", { "retry-after": new Date(soon).toUTCString() }],
    ["a reset in seconds", { "x-ratelimit-requests-reset": String(soon / 1000) }],
    ["a reset in milliseconds", { "x-ratelimit-requests-reset": String(soon) }],
  ])("is read from %s", (_, headers) => {
    expect(at(headers)).toBe(soon);
  });

  it("is what was asked for, before any budget's reset", () => {
    expect(
      at({
        "retry-after": "60",
        "x-ratelimit-requests-remaining": "0",
        "x-ratelimit-requests-reset": String(soon + 5),
      }),
    ).toBe(soon);
  });

  it("is the latest reset of what is used up, else the earliest of all", () => {
    const budget = (name: string, remaining: number, reset: number) => ({
      [`x-ratelimit-${name}-remaining`]: String(remaining),
      [`x-ratelimit-${name}-reset`]: String(reset),
    });
    expect(at({ ...budget("a", 0, soon), ...budget("b", 0, soon + 5), ...budget("c", 9, soon + 9) })).toBe(
      soon + 5,
    );
    expect(at({ ...budget("a", 3, soon + 5), ...budget("b", 9, soon) })).toBe(soon);
  });

  it.each([
    ["nothing", {}],
    ["a time that has passed", { "retry-after": new Date(NOW - 5_000).toUTCString() }],
    ["a reset in years", { "x-ratelimit-requests-reset": String(NOW * 2) }],
    ["words", { "retry-after": "soon" }],
  ])("is not known from %s", (_, headers) => {
    expect(at(headers)).toBeNull();
  });
});
