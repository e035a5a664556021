import { expect, test } from "vitest";
import { CASES } from "./cases.ts";
import { liveThrough } from "./days.ts";

test.each(CASES)(
  "$showed (seed $seed)",
  ({ seed, days }) => {
    expect(liveThrough([seed], days).violated).toEqual([]);
  },
  60_000,
);
