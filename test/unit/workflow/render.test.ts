import { describe, expect, test } from "vitest";
import type { Issue } from "../../../src/domain/issue.ts";
import { PromptError, renderPrompt, sampleIssue } from "../../../src/workflow/workflow.ts";
import { bareIssue } from "./bare-issue.ts";
import { withLines, workflowOf } from "./parsing.ts";

const render = (
  template: string,
  issue: Issue = sampleIssue,
  attempt: number | null = null,
): Promise<string> => renderPrompt(workflowOf(withLines("", template)), issue, attempt);

async function failureOf(template: string, issue: Issue = sampleIssue): Promise<PromptError> {
  try {
    await render(template, issue);
  } catch (error) {
    if (error instanceof PromptError) return error;
    throw error;
  }
  throw new Error("expected a PromptError, but the prompt was rendered");
}

describe("variables (SPEC 5.4, 12.2)", () => {
  test("every field of the issue is there under its snake_case name", async () => {
    const names =
      "id identifier title description priority state branch_name url created_at updated_at dispatchable";
    const template = names
      .split(" ")
      .map((name) => `${name}={{ issue.${name} }}`)
      .join("|");
    expect(await render(template)).toBe(
      `id=00000000-0000-4000-8000-000000000001|identifier=SAMPLE-1|title=${sampleIssue.title}|description=${sampleIssue.description}|priority=2|state=Todo|branch_name=sample-1-dates-in-the-export|url=https://linear.app/sample/issue/SAMPLE-1|created_at=2026-01-05T09:30:00.000Z|updated_at=2026-01-06T14:00:00.000Z|dispatchable=true`,
    );
  });

  test("unknown values are null: they print nothing and count as false, and never fail", async () => {
    const template =
      "{{ issue.description }}{{ issue.priority }}{{ issue.created_at }}{% if issue.url %}yes{% else %}no{% endif %}{{ attempt }}";
    expect(await render(template, bareIssue)).toBe("no");
  });

  test("attempt is null on the first run and a number after it", async () => {
    const template = "{% if attempt %}again {{ attempt | plus: 1 }}{% else %}first{% endif %}";
    expect(await render(template)).toBe("first");
    expect(await render(template, sampleIssue, 1)).toBe("again 2");
  });

  test("labels print as a readable list, and can be joined and looped over", async () => {
    expect(await render("{{ issue.labels }}")).toBe("bug, export");
    expect(await render('{{ issue.labels | join: "/" }}')).toBe("bug/export");
    expect(await render("{% for label in issue.labels %}[{{ label }}]{% endfor %}")).toBe("[bug][export]");
    expect(await render("<{{ issue.labels }}>", bareIssue)).toBe("<>");
  });

  test("blockers can be looped over, and printed plainly they are at least readable", async () => {
    expect(await render("{% for b in issue.blocked_by %}{{ b.identifier }} {{ b.state }}{% endfor %}")).toBe(
      "SAMPLE-2 Done",
    );
    expect(await render("{{ issue.blocked_by }}")).toContain('"identifier":"SAMPLE-2"');
  });

  test("text of the issue is never taken for template", async () => {
    const issue = { ...sampleIssue, title: "{{ attempt | nope }} {% raw %}" };
    expect(await render("{{ issue.title }}", issue)).toBe(issue.title);
  });
});

describe("strictness", () => {
  test.each([
    ["Line one\n  {{ issue.titel }}", "template_render_error", "8:6", "Did you mean `issue.title`?"],
    ["{{ ticket.title }}", "template_render_error", "7:4", "A prompt can use attempt, issue.id"],
    ["{% if issue.nope %}{% endif %}", "template_render_error", "7:7", "issue."],
    ["{{ issue.title | upcaes }}", "template_render_error", "7:1", "Did you mean `upcase`?"],
    ["ok\n{% if attempt %}", "template_parse_error", "8:1", "Correct the prompt"],
    ["{{ issue.title", "template_parse_error", "7:1", "Correct the prompt"],
    ["{% nonsense %}", "template_parse_error", "7:1", "Correct the prompt"],
    ["{% include 'package.json' %}", "template_render_error", "7:1", "Correct the prompt"],
    ["{{ issue.constructor }}", "template_render_error", "7:4", "issue."],
  ])("%j fails the run with its place in the file", async (template, kind, place, hint) => {
    const error = await failureOf(template);
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(new RegExp(`^/repo/WORKFLOW\\.md:${place}: prompt template: `));
    expect(error.message).not.toMatch(/line:\d/);
    expect(error.hint).toContain(hint);
  });

  test("a place on the first line counts the blanks that were trimmed off", async () => {
    expect((await failureOf("\n\n    {{ issue.titel }}")).message).toContain("WORKFLOW.md:9:8:");
  });
});

describe("limits", () => {
  test.each([
    "{% for i in (1..100000000) %}x{% endfor %}",
    "{% assign x = 'aaaaaaaaaaaaaaaa' %}{% for i in (1..40) %}{% assign x = x | append: x %}{% endfor %}{{ x }}",
    "{% for i in (1..4000) %}{% for j in (1..4000) %}{% for k in (1..4000) %}{% endfor %}{% endfor %}{% endfor %}",
  ])("%j ends with an error, not with the daemon", async (template) => {
    const error = await failureOf(template);
    expect(error.kind).toBe("template_render_error");
    expect(error.message).toContain("limit exceeded");
  });

  test("a prompt longer than Codex takes is refused before it is sent", async () => {
    const long = (length: number) => ({ ...sampleIssue, description: "x".repeat(length) });
    expect(await render("{{ issue.description }}", long(1_048_576))).toHaveLength(1_048_576);
    const error = await failureOf("{{ issue.description }}", long(1_048_577));
    expect(error.kind).toBe("input_too_large");
    expect(error.message).toContain("1048577 characters");
  });

  test("characters are counted, not UTF-16 units", async () => {
    const issue = { ...sampleIssue, description: "😀".repeat(600_000) };
    expect(await render("{{ issue.description }}", issue)).toHaveLength(1_200_000);
  });

  test("half a surrogate pair is replaced: Codex could not read the request that carries it", async () => {
    expect(await render("{{ issue.title }}", { ...sampleIssue, title: "a\uD83D" })).toBe("a\uFFFD");
  });
});

test("an empty body gets a prompt that names the issue and its description", async () => {
  const prompt = await render("  \n");
  expect(prompt).toContain("Linear issue SAMPLE-1: Dates in the export are one day early");
  expect(prompt).toContain("Rows exported after 23:00");
  expect(await render("", bareIssue)).not.toContain("description");
});

test("where a template makes nothing but blanks, the default prompt is sent", async () => {
  const said = await render("{% if attempt %}again{% endif %}\n");
  expect(said).toBe(await render(""));
  expect(said).toContain("SAMPLE-1");
});
