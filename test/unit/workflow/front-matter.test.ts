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

  test("a comment may stand behind the dashes, as in any YAML", () => {
    const text = withLines("")
      .replace("---\n", "--- # settings\n")
      .replace("\n---\n", "\n---\t# the prompt\n");
    expect(workflowOf(text).template).toBe("Do it.");
  });

  test.each(["----", "---- # x", "--- yaml", "---#x"])(
    "a first line that is no opening is told as what it is: %s",
    (line) => {
      expect(errorOf(withLines("").replace("---", line)).message).toMatch(
        /WORKFLOW\.md:1:1: .*this line begins with dashes/,
      );
    },
  );

  test("a line that was meant to close the front matter is named", () => {
    const { message } = errorOf("---\ntracker:\n  kind: linear\n----\nDo it.\n");
    expect(message).toContain("never closed");
    expect(message).toContain("Line 4 (`----`)");
  });

  test("lines before the opening --- are pointed out instead of becoming a prompt", () => {
    expect(errorOf(`\n${withLines("")}`).message).toContain("very first line");
  });
});
