import { describe, expect, test } from "vitest";
import { exitFailure, providerFailure, requestFailure } from "../../../../src/agent/codex/failures.ts";

const kindOf = (codexErrorInfo: unknown, message = "x"): string =>
  providerFailure({ message, codexErrorInfo }, null).kind;

describe("a provider's error", () => {
  test.each<[unknown, string]>([
    ["contextWindowExceeded", "context_window_exceeded"],
    ["usageLimitExceeded", "usage_limit"],
    ["rateLimitExceeded", "rate_limited"],
    ["serverOverloaded", "provider_overloaded"],
    ["internalServerError", "provider_overloaded"],
    ["modelNotFound", "model_not_found"],
    ["cyberPolicy", "content_refused"],
    ["unauthorized", "unauthorized"],
    ["usage_limit_exceeded", "usage_limit"],
    [{ type: "usage_limit_exceeded" }, "usage_limit"],
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, "unauthorized"],
    [{ httpConnectionFailed: { httpStatusCode: 403 } }, "unauthorized"],
    [{ httpConnectionFailed: { httpStatusCode: 502 } }, "provider_unreachable"],
    [{ httpConnectionFailed: { httpStatusCode: 413 } }, "turn_failed"],
    [{ httpConnectionFailed: { httpStatusCode: null } }, "provider_unreachable"],
    [{ http_connection_failed: { http_status_code: 401 } }, "unauthorized"],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, "rate_limited"],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 503 } }, "provider_overloaded"],
    ["other", "turn_failed"],
    ["badRequest", "turn_failed"],
    ["somethingNew", "turn_failed"],
    [{ somethingNew: { deep: [1] } }, "turn_failed"],
    [{}, "turn_failed"],
    [[], "turn_failed"],
    [7, "turn_failed"],
    [null, "turn_failed"],
    [undefined, "turn_failed"],
  ])("%j is %s", (info, kind) => expect(kindOf(info)).toBe(kind));

  test("of the kind `other` is told apart by its words where that matters", () => {
    expect(kindOf("other", "stream disconnected before completion: x")).toBe("provider_unreachable");
    expect(kindOf("other", "Missing environment variable: `X`.")).toBe("unauthorized");
  });

  test("of a used-up limit says when it is reset; others do not", () => {
    expect(providerFailure({ message: "x", codexErrorInfo: "usageLimitExceeded" }, 7).resetsAt).toBe(7);
    expect(providerFailure({ message: "x", codexErrorInfo: "other" }, 7).resetsAt).toBeNull();
  });

  test("of any shape gives a sentence, bounded", () => {
    expect(providerFailure(null, null).message).toMatch(/no reason/);
    expect(providerFailure("plain text", null).message).toMatch(/plain text/);
    expect(providerFailure({ message: "z".repeat(10_000) }, null).message.length).toBeLessThan(1100);
  });
});

describe("a request", () => {
  const refused = {
    ok: false,
    cause: "refused",
    code: -32602,
    message: "Input exceeds",
    data: null,
  } as const;

  test("whose input was too large says so", () => {
    const data = { input_error_code: "input_too_large" };
    expect(requestFailure({ ...refused, data }, "start the turn").kind).toBe("input_too_large");
  });

  test("that was refused, or not answered, is told apart", () => {
    expect(requestFailure(refused, "x").kind).toBe("response_error");
    expect(requestFailure({ ...refused, cause: "timeout" }, "x").kind).toBe("response_timeout");
    expect(requestFailure({ ...refused, cause: "closed" }, "x").kind).toBe("port_exit");
  });
});

describe("a process that ended", () => {
  test.each([126, 127])("with bash's code %d was no codex", (code) => {
    const why = exitFailure(
      { code, signal: null, error: null },
      "codex app-server",
      "bash: codex: not found",
    );
    expect(why.kind).toBe("codex_not_found");
    expect(why.message).toContain("codex app-server");
    expect(why.hint).toContain("bash -lc");
    expect(why.detail).toContain("not found");
  });

  test("in any other way is a lost port, with its last words", () => {
    const byCode = exitFailure({ code: 3, signal: null, error: null }, "x", "last words");
    expect(byCode).toMatchObject({ kind: "port_exit", detail: "last words" });
    expect(byCode.message).toContain("code 3");
    expect(exitFailure({ code: null, signal: "SIGKILL", error: null }, "x", "").message).toContain("SIGKILL");
  });

  test("before it began had no bash, or no room", () => {
    const noBash = Object.assign(new Error("spawn bash ENOENT"), { code: "ENOENT" });
    expect(exitFailure({ code: null, signal: null, error: noBash }, "x", "").kind).toBe("codex_not_found");
    const noRoom = Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" });
    expect(exitFailure({ code: null, signal: null, error: noRoom }, "x", "").kind).toBe("port_exit");
  });
});
