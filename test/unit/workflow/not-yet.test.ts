import { describe, expect, test } from "vitest";
import { warningsOf, withLines } from "./parsing.ts";

const warned = (lines: string): string => warningsOf(withLines(lines)).join("\n");

test("a file that asks for nothing that is missing here is not warned of", () => {
  expect(warned("")).toBe("");
  expect(warned("approvals: {mode: deny}\nquestions: {mode: decline}")).toBe("");
});

test("a port is warned of where it stands: nothing listens", () => {
  expect(warned("server:\n  port: 8080")).toBe(
    "/repo/WORKFLOW.md:6:9: server.port: This version has no server: nothing listens.",
  );
});

describe("who waits for a person's answer is told that none comes", () => {
  test.each([
    ["park", "the run ends and the issue is parked"],
    ["deny", "the agent is told no"],
  ])("approvals that %s: %s", (onTimeout, outcome) => {
    const said = warned(`approvals:\n  mode: operator\n  on_timeout: ${onTimeout}`);
    expect(said).toMatch(/^\S+:6:9: approvals\.mode: This version can ask nobody/);
    expect(said).toContain(outcome);
    expect(said).not.toContain("questions.mode");
  });

  test("approvals that only codex.approval_policy asks for, where that stands", () => {
    const said = warned("codex:\n  approval_policy: on-request");
    expect(said).toMatch(/^\S+:6:9?\d*: codex\.approval_policy: This version can ask nobody/);
    expect(said).toContain("approvals.mode to auto or deny");
    expect(warned("codex:\n  approval_policy: on-request\napprovals:\n  mode: deny")).toBe("");
  });

  test("questions", () => {
    expect(warned("questions:\n  mode: operator")).toMatch(/questions\.mode: This version can ask nobody/);
  });
});
