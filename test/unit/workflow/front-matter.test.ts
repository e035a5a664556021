import { describe, expect, test } from "vitest";
import { errorOf, withLines, workflowOf } from "./parsing.ts";

describe("cutting the file (SPEC 5.2)", () => {
  test("what stands between the first two --- lines is front matter, the rest is the prompt, trimmed", () => {
    const workflow = workflowOf(withLines("", "\n\n  Hello\n---\nstill prompt\n\n"));
    expect(workflow.template).toBe("Hello\n---\nstill prompt");
    expect(workflow.settings.tracker.projectSlug).toBe("web-1");
  });

  test("CRLF files and files with a byte order mark read the same", () => {
    const text = withLines("agent:\n  max_turns: 7");
    for (const variant of [text.replaceAll("\n", "\r\n"), `\uFEFF${text}`]) {
      const workflow = workflowOf(variant);
      expect(workflow.settings.agent.maxTurns).toBe(7);
      expect(workflow.template).toBe("Do it.");
    }
  });

  test("without front matter the whole file is prompt, and the settings are missing rather than unreadable", () => {
    const error = errorOf("Only a prompt");
    expect(error.kind).toBe("unsupported_tracker_kind");
    expect(error.message).toContain("tracker.kind");
  });

  test("an empty front matter is an empty map", () => {
    expect(errorOf("---\n---\nx").kind).toBe("unsupported_tracker_kind");
    expect(errorOf("---\n# only a comment\n---\nx").kind).toBe("unsupported_tracker_kind");
  });

  test("front matter that is never closed is an error at its first line", () => {
    const error = errorOf("---\ntracker:\n  kind: linear\n");
    expect(error.kind).toBe("workflow_parse_error");
    expect(error.message).toContain("/repo/WORKFLOW.md:1:1:");
    expect(error.message).toContain("never closed");
  });

  test("lines before the opening --- are pointed out instead of becoming a prompt", () => {
    expect(errorOf(`\n${withLines("")}`).message).toContain("very first line");
  });
});
