import { expect, test } from "vitest";
import { PromptError, promptProblem, promptTrial } from "../../../src/workflow/workflow.ts";
import { withLines, workflowOf } from "./parsing.ts";

test("a template is tried on a sample issue, and what is wrong is told with its place and what to do", async () => {
  const trial = await promptTrial();
  expect(trial(workflowOf(withLines("", "Do {{ issue.title }}.")))).toEqual({ problem: null, warnings: [] });
  expect(trial(workflowOf(withLines("", "Do {{ issue.titel }}."))).problem).toMatchObject({
    kind: "template_render_error",
    place: { column: 7 },
    key: null,
    text: expect.stringMatching(/issue\.titel\. Did you mean `issue\.title`\?$/),
  });
  expect(trial(workflowOf(withLines("", "{% if %}"))).problem).toMatchObject({
    kind: "template_parse_error",
  });
});

test("a message without a place is told whole", () => {
  const error = new PromptError("input_too_large", "/w.md: too long", { hint: "Shorten it." });
  expect(promptProblem("/w.md", error)).toMatchObject({ place: null, text: "/w.md: too long. Shorten it." });
});

const trial = await promptTrial();
const triedBody = (body: string) => trial(workflowOf(withLines("", body)));

test.each(["{% if attempt %}{{ atempt }}{% endif %}", "{% unless attempt %}{{ atempt }}{% endunless %}"])(
  "it is tried as on a first run and as on a later one: %s is refused",
  (body) => {
    expect(triedBody(body).problem).toMatchObject({
      kind: "template_render_error",
      text: expect.stringContaining("Did you mean `attempt`?"),
    });
  },
);

test.each([
  ["{{ issue.labels.first }}", "a ticket without labels has no prompt"],
  [
    "{% if attempt %}{{ issue.blocked_by[0].identifier }}{% endif %}",
    "a ticket that nothing blocks has no prompt",
  ],
  [
    "{% if issue.url == nil and issue.priority == nil %}{{ issue.labels.first.x }}{% endif %}",
    "a ticket without anything but a title has no prompt",
  ],
])("what fails for some tickets is a warning that says for which: %s", (body, text) => {
  const { problem, warnings } = triedBody(body);
  expect(problem).toBeNull();
  expect(warnings[0]).toMatch(/^\/repo\/WORKFLOW\.md:7:\d+: /);
  expect(warnings[0]).toContain(text);
});

test("a name that is unknown in a branch which no try comes to is a warning with its place; names of the template's own are none", () => {
  const own =
    "{% assign x = 1 %}{% for l in issue.labels %}{{ l }}{{ forloop.index }}{% endfor %}{{ x }}{{ issue['url'] }}";
  expect(triedBody(own)).toEqual({ problem: null, warnings: [] });
  const { problem, warnings } = triedBody(
    `Do it.\n{% if issue.state == "Rework" %}{{ issue.titel }}{{ isue }}{% endif %}`,
  );
  expect(problem).toBeNull();
  expect(warnings).toEqual([
    expect.stringMatching(/WORKFLOW\.md:8:\d+: .*there is no `issue\.titel`.*Did you mean `issue\.title`/),
    expect.stringMatching(/WORKFLOW\.md:8:\d+: .*there is no `isue`/),
  ]);
});

test.each([
  ["{% comment %}later{% endcomment %}", "nothing but blanks."],
  ["{% if attempt %}again{% endif %}", "nothing but blanks on a first run."],
  ["{% unless attempt %}do it{% endunless %}", "nothing but blanks on a later run."],
])("a prompt of nothing but blanks is a warning: %s", (body, text) => {
  expect(triedBody(body)).toMatchObject({ problem: null, warnings: [expect.stringContaining(text)] });
});

test("no body at all is the default prompt, and no oddity", () => {
  expect(triedBody("")).toEqual({ problem: null, warnings: [] });
});
