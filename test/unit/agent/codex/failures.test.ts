import { describe, expect, test } from "vitest";
import { exitFailure, providerFailure, requestFailure } from "../../../../src/agent/codex/failures.ts";
import type { ProcessEnd } from "../../../../src/agent/codex/process.ts";

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
    ["badRequest", "invalid_request"],
    ["somethingNew", "turn_failed"],
    ["toString", "turn_failed"],
    ["__proto__", "turn_failed"],
    [{ constructor: {} }, "turn_failed"],
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
    const long = providerFailure(
      { message: "z".repeat(10_000), additionalDetails: "z".repeat(10_000) },
      null,
    );
    expect(long.message.length).toBeLessThan(1100);
    expect(long.detail?.length).toBeLessThan(4200);
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
  const end = (more: Partial<ProcessEnd>): ProcessEnd => ({
    code: null,
    signal: null,
    error: null,
    memoryShort: false,
    ...more,
  });

  test.each([
    [127, "not found", "Install"],
    [126, "may not be executed", "chmod"],
  ])("with bash's code %d was no codex", (code, what, todo) => {
    const why = exitFailure(end({ code }), "silent", "codex app-server", "bash: codex: last words");
    expect(why.kind).toBe("codex_not_found");
    expect(why.message).toContain(what);
    expect(why.message).toContain("codex app-server");
    expect(why.hint).toContain(todo);
    expect(why.hint).toContain("bash -lc");
    expect(why.detail).toContain("last words");
  });

  test("with bash's code for no program was one all the same when it had spoken", () => {
    expect(exitFailure(end({ code: 127 }), "turn", "x", "")).toMatchObject({
      kind: "port_exit",
      detail: null,
    });
  });

  test("by itself is a lost port: how, when, its last words, and what to look at", () => {
    const why = exitFailure(end({ code: 3 }), "turn", "codex app-server", "last words");
    expect(why).toMatchObject({ kind: "port_exit", detail: "last words" });
    expect(why.message).toMatch(/code 3/);
    expect(why.message).toContain("in the middle of a turn");
    expect(why.hint).toContain("codex doctor");
    const early = exitFailure(end({ code: 0 }), "silent", "codex app-server", "");
    expect(early.message).toContain("before it answered");
    expect(early.hint).toContain("Run `codex app-server` by hand");
  });

  test.each([
    [{ signal: "SIGSEGV" }, "SIGSEGV", "crashed"],
    [{ code: 139 }, "SIGSEGV", "crashed"],
    [{ code: 134 }, "SIGABRT", "crashed"],
    [{ signal: "SIGTERM" }, "SIGTERM", "told it to end"],
    [{ signal: "SIGKILL" }, "SIGKILL", "journalctl -k"],
    [{ code: 137 }, "SIGKILL", "journalctl -k"],
  ] as const)(
    "by a signal says which, also when a shell says it for its program: %j",
    (how, signal, todo) => {
      const why = exitFailure(end(how), "idle", "x", "");
      expect(why.kind).toBe("port_exit");
      expect(why.message).toContain(signal);
      expect(why.hint).toContain(todo);
    },
  );

  test("by SIGKILL while the system was ending processes for want of memory is told apart", () => {
    for (const how of [{ signal: "SIGKILL" }, { code: 137 }] as const) {
      const why = exitFailure(end({ ...how, memoryShort: true }), "turn", "x", "");
      expect(why.kind).toBe("out_of_memory");
      expect(why.hint).toContain("max_concurrent_agents");
    }
    const crashed = exitFailure(end({ signal: "SIGSEGV", memoryShort: true }), "turn", "x", "");
    expect(crashed.kind).toBe("port_exit");
  });

  test("before it began had no bash, or no room", () => {
    const noBash = Object.assign(new Error("spawn bash ENOENT"), { code: "ENOENT" });
    expect(exitFailure(end({ error: noBash }), "silent", "x", "").kind).toBe("codex_not_found");
    const noRoom = Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" });
    expect(exitFailure(end({ error: noRoom }), "silent", "x", "").kind).toBe("port_exit");
  });
});

test.each([
  ["unexpected status 401 Unauthorized: no key, url: http://x/v1/responses", "unauthorized"],
  ["unexpected status 403 Forbidden: no", "unauthorized"],
  ["unexpected status 404 Not Found: model_not_found", "model_not_found"],
  ["unexpected status 502 Bad Gateway: no", "provider_unreachable"],
  ["unexpected status 503 Service Unavailable: no", "provider_overloaded"],
  ["unexpected status 400 Bad Request: no", "turn_failed"],
  [
    "stream disconnected before completion: Incomplete response returned, reason: max_output_tokens",
    "turn_failed",
  ],
  ["stream disconnected before completion: reset", "provider_unreachable"],
])("older releases say what was wrong in words only: %s", (message, kind) => {
  expect(providerFailure({ message, codexErrorInfo: "other" }, null).kind).toBe(kind);
});
