import { expect, test } from "vitest";
import { PromptError, promptProblem, promptTrial } from "../../../src/workflow/workflow.ts";
import { withLines, workflowOf } from "./parsing.ts";

test("a template is tried on a sample issue, and what is wrong is told with its place and what to do", async () => {
  const trial = await promptTrial();
  expect(trial(workflowOf(withLines("", "Do {{ issue.title }}.")))).toBeNull();
  expect(trial(workflowOf(withLines("", "Do {{ issue.titel }}.")))).toMatchObject({
    kind: "template_render_error",
    place: { column: 7 },
    key: null,
    text: expect.stringMatching(/issue\.titel\. Did you mean `issue\.title`\?$/),
  });
  expect(trial(workflowOf(withLines("", "{% if %}")))).toMatchObject({ kind: "template_parse_error" });
});

test("a message without a place is told whole", () => {
  const error = new PromptError("input_too_large", "/w.md: too long", { hint: "Shorten it." });
  expect(promptProblem("/w.md", error)).toMatchObject({ place: null, text: "/w.md: too long. Shorten it." });
});
