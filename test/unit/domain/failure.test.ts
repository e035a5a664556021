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
  const account = ["usage_limit", "rate_limited", "unauthorized", "model_not_found"] as const;
  for (const kind of [...account, "provider_overloaded", "provider_unreachable"] as const)
    expect([kind, failureScope(kind)]).toEqual([kind, "provider"]);
});

test("neither does a root, a codex or a login shell that cannot be used; one directory, one hook or one prompt may", () => {
  for (const kind of ["root_unusable", "codex_not_found", "shell_timeout"] as const)
    expect([kind, failureScope(kind)]).toEqual([kind, "installation"]);
  const prompt = ["template_parse_error", "template_render_error", "input_too_large"] as const;
  for (const kind of ["workspace_error", "hook_failed", "hook_timeout", ...prompt] as const)
    expect([kind, failureScope(kind)]).toEqual([kind, "issue"]);
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
