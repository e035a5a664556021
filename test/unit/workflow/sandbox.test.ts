import { describe, expect, test } from "vitest";
import { errorOf, settingsOf, warningsOf, withLines } from "./parsing.ts";

const codex = (lines: string) => settingsOf(withLines(`codex:\n  ${lines}`)).codex;
const warned = (lines: string) => warningsOf(withLines(`codex:\n  ${lines}`)).join("\n");
const refused = (lines: string) => errorOf(withLines(`codex:\n  ${lines}`)).message;

describe("thread_sandbox", () => {
  test.each([
    ["workspaceWrite", "workspace-write"],
    ["readOnly", "read-only"],
    ["danger_full_access", "danger-full-access"],
    ["{type: workspaceWrite}", "workspace-write"],
    ["{mode: read-only}", "read-only"],
  ])("%s can only mean %s", (given, meant) => {
    expect(codex(`thread_sandbox: ${given}`).threadSandbox).toBe(meant);
    expect(warned(`thread_sandbox: ${given}`)).toContain("codex.thread_sandbox");
  });

  test.each(["none", "full", "{type: workspaceWrite, networkAccess: true}", "1"])(
    "%s is refused",
    (value) => {
      expect(refused(`thread_sandbox: ${value}`)).toContain(
        "`read-only`, `workspace-write`, `danger-full-access`",
      );
    },
  );
});

describe("turn_sandbox_policy", () => {
  const policy = (value: string) => codex(`turn_sandbox_policy: ${value}`).turnSandboxPolicy;

  test("Codex's own form passes without a word", () => {
    const value =
      "{type: workspaceWrite, writableRoots: [/data], networkAccess: true, excludeSlashTmp: false}";
    expect(policy(value)).toEqual({
      type: "workspaceWrite",
      writableRoots: ["/data"],
      networkAccess: true,
      excludeSlashTmp: false,
    });
    expect(warned(`turn_sandbox_policy: ${value}`)).toBe("");
    expect(policy("{type: externalSandbox, networkAccess: enabled}")).toEqual({
      type: "externalSandbox",
      networkAccess: "enabled",
    });
  });

  test.each([
    ["workspaceWrite", { type: "workspaceWrite" }],
    ["read-only", { type: "readOnly" }],
    ["{type: workspace-write}", { type: "workspaceWrite" }],
    ["{mode: danger-full-access}", { type: "dangerFullAccess" }],
    ["{type: workspaceWrite, network_access: true}", { type: "workspaceWrite", networkAccess: true }],
    [
      "{type: workspace_write, writable_roots: [~/x]}",
      { type: "workspaceWrite", writableRoots: ["/home/ann/x"] },
    ],
  ])("%s is translated, with a warning", (given, meant) => {
    expect(policy(given)).toEqual(meant);
    expect(warned(`turn_sandbox_policy: ${given}`)).toContain("codex.turn_sandbox_policy");
  });

  test("externalSandbox takes words for the network; true and false are translated", () => {
    expect(policy("{type: externalSandbox, networkAccess: true}")).toEqual({
      type: "externalSandbox",
      networkAccess: "enabled",
    });
  });

  test("a field that Codex would ignore silently is named", () => {
    expect(warned("turn_sandbox_policy: {type: readOnly, writableRoots: [/x]}")).toContain(
      "codex.turn_sandbox_policy.writableRoots: Codex does not read this for `readOnly`",
    );
  });

  test.each([
    "{}",
    "[]",
    "3",
    "everything",
    "{type: everything}",
    "{type: {a: 1}}",
    "{type: workspaceWrite, networkAccess: 'yes'}",
    "{type: workspaceWrite, writableRoots: /x}",
    "{type: workspaceWrite, writableRoots: [.git]}",
    "{type: workspaceWrite, writableRoots: [$NOT_SET]}",
  ])("%s is refused: Codex would refuse it at the first turn", (value) => {
    expect(refused(`turn_sandbox_policy: ${value}`)).toContain("6:");
  });
});
