import { expect, test } from "vitest";
import { failure, failureOutcome, failureScope } from "../../../src/domain/failure.ts";

test("what a failure does not say is null", () => {
  expect(failure("stalled", "silent")).toEqual({
    kind: "stalled",
    message: "silent",
    hint: null,
    detail: null,
    resetsAt: null,
  });
  expect(failure("usage_limit", "used up", { resetsAt: 5 }).resetsAt).toBe(5);
});

test("a provider that takes no work says nothing about the issue", () => {
  for (const kind of ["usage_limit", "rate_limited", "unauthorized", "model_not_found"] as const)
    expect([kind, failureScope(kind)]).toEqual([kind, "provider"]);
  expect(failureScope("provider_overloaded")).toBe("issue");
});

test("our own doing is never counted, and has an outcome of its own", () => {
  expect(failureScope("shutdown")).toBe("ours");
  expect(failureOutcome("shutdown")).toBe("interrupted");
  expect(failureOutcome("no_longer_eligible")).toBe("canceled");
  expect([failureScope("lost"), failureOutcome("lost")]).toEqual(["ours", "lost"]);
});

test("silence and time that is up are told apart from what failed", () => {
  expect(failureOutcome("stalled")).toBe("stalled");
  expect(failureOutcome("run_timeout")).toBe("timed_out");
  expect(failureOutcome("turn_timeout")).toBe("timed_out");
  expect(failureOutcome("port_exit")).toBe("failed");
});
