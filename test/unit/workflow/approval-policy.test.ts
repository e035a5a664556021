import { describe, expect, test } from "vitest";
import { errorOf, settingsOf, warningsOf, withLines } from "./parsing.ts";

const codex = (lines: string) => settingsOf(withLines(`codex:\n  ${lines}`)).codex;
const warned = (lines: string) => warningsOf(withLines(`codex:\n  ${lines}`)).join("\n");
const refused = (lines: string) => errorOf(withLines(`codex:\n  ${lines}`)).message;

describe("approval_policy", () => {
  test.each(["never", "on-request", "untrusted"])("%s passes as it is", (policy) => {
    expect(codex(`approval_policy: ${policy}`).approvalPolicy).toBe(policy);
    expect(warned(`approval_policy: ${policy}`)).not.toContain("is taken as");
  });

  test("a policy that asks is warned of: this version has nobody to ask", () => {
    expect(warned("approval_policy: never")).toBe("");
    expect(warned("approval_policy: on-request")).toContain(
      "codex.approval_policy: This version can ask nobody",
    );
  });

  test("granular passes with all of its flags", () => {
    const flags = "{sandbox_approval: true, rules: false, mcp_elicitations: true, skill_approval: true}";
    expect(codex(`approval_policy: {granular: ${flags}}`).approvalPolicy).toEqual({
      granular: { sandbox_approval: true, rules: false, mcp_elicitations: true, skill_approval: true },
    });
    expect(refused("approval_policy: {granular: {rules: true}}")).toContain(
      "`sandbox_approval`, `mcp_elicitations`",
    );
    expect(
      refused("approval_policy: {granular: {rules: 1, sandbox_approval: true, mcp_elicitations: true}}"),
    ).toContain("`rules`");
  });

  test.each([
    ["onRequest", "on-request"],
    ["on_request", "on-request"],
    ["unlessTrusted", "untrusted"],
    ["unless-trusted", "untrusted"],
    ["Never", "never"],
  ])("%s can only mean %s, and is taken so with a warning", (given, meant) => {
    expect(codex(`approval_policy: ${given}`).approvalPolicy).toBe(meant);
    expect(warned(`approval_policy: ${given}`)).toContain(
      `6:20: codex.approval_policy: "${given}" is taken as \`${meant}\``,
    );
  });

  test("the old reject form is granular the other way round", () => {
    const lines = "approval_policy: {reject: {sandbox_approval: true, rules: true, mcp_elicitations: false}}";
    expect(codex(lines).approvalPolicy).toEqual({
      granular: { sandbox_approval: false, rules: false, mcp_elicitations: true },
    });
    expect(warned(lines)).toContain("`reject` is gone from Codex");
    expect(refused("approval_policy: {reject: {rules: true}}")).toContain("`reject` is gone");
  });

  test.each(["on-failure", "always", "3", "[never]", "{}", "{granular: x}", "true"])(
    "%s is refused with the values that work",
    (value) => {
      const message = refused(`approval_policy: ${value}`);
      expect(message).toContain("6:20: codex.approval_policy: ");
      expect(message).toContain("`never`, `on-request`, `untrusted`");
    },
  );
});
