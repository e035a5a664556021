import { describe, expect, test } from "vitest";
import { replyTo } from "../../../../src/agent/codex/approvals.ts";
import type { PolicySettings } from "../../../../src/domain/settings.ts";

type Mode = PolicySettings["approvals"]["mode"];

const policy = (
  mode: Mode,
  onTimeout: "deny" | "park" = "deny",
  questions: PolicySettings["questions"]["mode"] = "decline",
): PolicySettings => ({ approvals: { mode, timeoutMs: 1, onTimeout }, questions: { mode: questions } });

const reply = (method: string, params: Record<string, unknown>, by: PolicySettings) =>
  replyTo(method, params, by, 7500);

const command = { command: "/bin/bash -lc 'rm x'", reason: "May I?" };

describe("an approval", () => {
  test.each<[string, Mode, string]>([
    ["item/commandExecution/requestApproval", "auto", "acceptForSession"],
    ["item/commandExecution/requestApproval", "deny", "decline"],
    ["item/commandExecution/requestApproval", "operator", "decline"],
    ["item/fileChange/requestApproval", "auto", "acceptForSession"],
    ["item/fileChange/requestApproval", "deny", "decline"],
    ["execCommandApproval", "auto", "approved_for_session"],
    ["execCommandApproval", "deny", "denied"],
    ["applyPatchApproval", "auto", "approved_for_session"],
    ["applyPatchApproval", "operator", "denied"],
  ])("%s under %s is answered with %s, and the turn goes on", (method, mode, decision) => {
    expect(reply(method, command, policy(mode))).toMatchObject({ result: { decision }, park: null });
  });

  test("that a person should give is declined, and ends the run where the workflow says so", () => {
    const parked = reply(
      "item/fileChange/requestApproval",
      { reason: "outside" },
      policy("operator", "park"),
    );
    expect(parked).toMatchObject({ result: { decision: "decline" }, park: { kind: "approval_required" } });
    expect(parked.park?.message).toContain("outside");
  });

  test.each<Mode>(["auto", "deny"])("never ends a run under %s", (mode) => {
    expect(reply("item/fileChange/requestApproval", {}, policy(mode, "park")).park).toBeNull();
  });

  test("says what was asked, whatever the version calls it", () => {
    const about = (params: Record<string, unknown>) =>
      reply("execCommandApproval", params, policy("deny")).about;
    expect(about(command)).toContain("rm x");
    expect(about({ command: ["git", "push"] })).toBe("git push");
    expect(about({ fileChanges: { "/a": {}, "/b": {} } })).toBe("/a, /b");
    expect(about({ command: "x".repeat(1000) })).toHaveLength(301);
    expect(about({})).toBe("");
  });
});

describe("permissions", () => {
  const asked = {
    reason: "the network",
    permissions: { network: { enabled: true }, fileSystem: { write: ["/p"] }, other: 1 },
  };

  test("are granted as asked, and no further, when approvals are automatic", () => {
    expect(reply("item/permissions/requestApproval", asked, policy("auto")).result).toEqual({
      permissions: { network: { enabled: true }, fileSystem: { write: ["/p"] } },
      scope: "session",
    });
  });

  test.each<Mode>(["deny", "operator"])("are denied by an empty grant under %s", (mode) => {
    expect(reply("item/permissions/requestApproval", asked, policy(mode)).result).toEqual({
      permissions: {},
    });
  });
});

describe("an MCP server's request", () => {
  const call = { serverName: "s", message: "Allow?", _meta: { codex_approval_kind: "mcp_tool_call" } };

  test("to call a tool is an approval", () => {
    const method = "mcpServer/elicitation/request";
    expect(reply(method, call, policy("auto")).result).toMatchObject({ action: "accept" });
    expect(reply(method, call, policy("deny")).result).toMatchObject({ action: "decline" });
    expect(reply(method, call, policy("operator", "park")).park?.kind).toBe("approval_required");
  });

  test("to fill in a form is a question, which nobody answers", () => {
    const method = "mcpServer/elicitation/request";
    const form = { serverName: "s", message: "Your name?", _meta: null };
    expect(reply(method, form, policy("auto"))).toMatchObject({ result: { action: "decline" }, park: null });
    expect(reply(method, form, policy("auto", "deny", "park")).park?.kind).toBe("turn_input_required");
  });
});

test("a command of which not every word is a word is asked about all the same", () => {
  const words = { command: ["rm", { toString: 1, valueOf: 1 }, [["x"]], null, "y"] };
  expect(reply("execCommandApproval", words, policy("deny")).about).toBe("rm y");
});

describe("a question", () => {
  const asked = {
    questions: [{ id: "a", question: "Which?" }, { id: "b", question: "Why?" }, { question: "no id" }],
  };
  const method = "item/tool/requestUserInput";

  test("is answered, each part under its id, by saying that nobody is there", () => {
    const { result, park, about } = reply(method, asked, policy("auto"));
    const nobody = { answers: [expect.stringMatching(/nobody is there/i)] };
    expect(result).toEqual({ answers: { a: nobody, b: nobody } });
    expect(park).toBeNull();
    expect(about).toContain("Which? / Why?");
  });

  test.each<[PolicySettings, string | null]>([
    [policy("auto", "deny", "park"), "turn_input_required"],
    [policy("auto", "park", "operator"), "turn_input_required"],
    [policy("auto", "deny", "operator"), null],
    [policy("operator", "park", "decline"), null],
  ])("ends the run only where the workflow says so: %j", (by, kind) => {
    expect(reply(method, asked, by).park?.kind ?? null).toBe(kind);
  });

  test("without questions is answered all the same", () => {
    expect(reply(method, {}, policy("auto")).result).toEqual({ answers: {} });
  });
});

describe("any other request", () => {
  test("for the time gets it, in whole seconds", () => {
    expect(reply("currentTime/read", {}, policy("deny")).result).toEqual({ currentTimeAt: 7 });
  });

  test.each(["account/chatgptAuthTokens/refresh", "attestation/generate", "something/new"])(
    "%s is refused, and the turn goes on",
    (method) =>
      expect(reply(method, {}, policy("auto", "park", "park"))).toMatchObject({ result: null, park: null }),
  );
});
