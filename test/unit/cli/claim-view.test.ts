import { expect, test } from "vitest";
import { claimLines, claimView } from "../../../src/cli/claim-view.ts";
import { now, parked, waiting } from "./history.ts";

test("an issue that nobody holds is released", () => {
  expect(claimView(null)).toEqual({ phase: "released" });
});

test("who waits is told until when and why, who is parked what lifts it", () => {
  expect(claimLines(waiting, now).join("\n")).toMatch(/^waiting: .*\nbecause /);
  expect(claimLines(parked, now).join("\n")).toMatch(/^parked \(.*\nto release it: /);
  expect(claimView(parked)).toMatchObject({ phase: "parked", release: expect.any(String) as string });
});
