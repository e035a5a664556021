import { expect, test } from "vitest";
import { retryAtOf, troubleOf } from "../../../../src/daemon/chores/chore.ts";
import { instant } from "../../../../src/domain/time.ts";
import { TrackerError } from "../../../../src/tracker/port.ts";

test("only the tracker's trouble has a kind of its own: nothing else may look as if it were the tracker's", () => {
  const limited = new TrackerError("tracker_rate_limited", "Used up.", { hint: "Wait." });
  expect(troubleOf(limited)).toEqual({ kind: "tracker_rate_limited", error: "Used up. Wait." });
  const other = Object.assign(new Error("oh"), { kind: "tracker_auth", retryAt: instant(5) });
  expect(troubleOf(other)).toEqual({ kind: "internal", error: "oh" });
  expect(retryAtOf(other)).toBeNull();
});

test("whatever is thrown has words", () => {
  expect(troubleOf("just text")).toEqual({ kind: "internal", error: "just text" });
  expect(troubleOf(undefined).error).toBe("undefined");
});

test("when to ask again is known only where the tracker said so", () => {
  const told = new TrackerError("tracker_rate_limited", "Used up.", { retryAt: instant(5) });
  expect(retryAtOf(told)).toBe(5);
  expect(retryAtOf(new TrackerError("tracker_request", "No answer."))).toBeNull();
});
