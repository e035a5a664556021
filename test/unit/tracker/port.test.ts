import { describe, expect, it } from "vitest";
import { TrackerError, type TrackerErrorKind } from "../../../src/tracker/port.ts";

describe("an error of a tracker", () => {
  it("says what happened, in the tracker's words, and then what to do", () => {
    const error = new TrackerError("tracker_status", "Linear said no.", { status: 500, hint: "Ask again." });
    expect(error).toMatchObject({
      message: "Linear said no. Ask again.",
      what: "Linear said no.",
      status: 500,
    });
  });

  it.each<[TrackerErrorKind, boolean]>([
    ["unsupported_tracker_kind", false],
    ["invalid_tracker_config", false],
    ["missing_tracker_secret", false],
    ["tracker_request", true],
    ["tracker_response", true],
    ["tracker_pagination", true],
    ["tracker_rate_limited", true],
    ["tracker_status", true],
  ])("of the kind %s may pass by itself or not (%s), and has a hint", (kind, passing) => {
    const error = new TrackerError(kind, "It failed.");
    expect(error.passing).toBe(passing);
    expect(error.hint).not.toBe("");
  });

  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])("with status %i may pass by itself or not (%s)", (status, passing) => {
    expect(new TrackerError("tracker_status", "It failed.", { status }).passing).toBe(passing);
  });

  it("passes or not as its maker says, who knows more", () => {
    expect(new TrackerError("tracker_response", "It failed.", { passing: false }).passing).toBe(false);
  });
});
