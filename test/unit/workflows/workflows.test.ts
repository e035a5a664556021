/** The ready workflow files: people copy them, so they must load, render and speak Linear's language. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "graphql";
import { describe, expect, test } from "vitest";
import { loadWorkflow, renderPrompt, sampleIssue } from "../../../src/workflow/workflow.ts";
import { bareIssue } from "../workflow/bare-issue.ts";

const folder = path.join(import.meta.dirname, "../../../workflows");
const files = readdirSync(folder).filter((name) => name.endsWith(".md"));

function loaded(name: string) {
  const result = loadWorkflow(path.join(folder, name), { LINEAR_API_KEY: "x" }, "/home/ann");
  if (!result.ok) throw result.error;
  return result;
}

test("there are three of them", () => {
  expect(files.toSorted()).toEqual(["implement.md", "review-and-fix.md", "triage.md"]);
});

test("the repository's own is a real one: for Linear itself, and with nothing to be warned of", async () => {
  const { warnings, workflow } = loaded("../WORKFLOW.md");
  expect(warnings).toEqual([]);
  expect(workflow.settings.tracker.endpoint).toBe("https://api.linear.app/graphql");
  expect(await renderPrompt(workflow, sampleIssue, 1)).toContain(sampleIssue.identifier);
});

describe.each(files)("%s", (name) => {
  test("loads without a warning, under its own name", () => {
    expect(loaded(name).warnings).toEqual([]);
    expect(loaded(name).workflow.settings.name).toBe(path.parse(name).name);
  });

  test("renders for a full issue and for one with nothing but a title, first and later", async () => {
    const { workflow } = loaded(name);
    const anonymous = { ...sampleIssue, blockedBy: [{ id: null, identifier: null, state: null }] };
    for (const issue of [sampleIssue, bareIssue, anonymous])
      for (const attempt of [null, 1]) {
        const prompt = await renderPrompt(workflow, issue, attempt);
        expect(prompt).toContain(issue.title);
        expect(prompt).toContain(issue.id);
        expect(prompt).not.toMatch(/\{\{|\{%|\n{4,}/);
        expect(prompt.includes("session"), "speaks of an earlier session only when there was one").toBe(
          attempt !== null,
        );
      }
  });

  test("every GraphQL example is one operation that linear_graphql would take", () => {
    const examples = [...readFileSync(path.join(folder, name), "utf8").matchAll(/```graphql\n(.*?)```/gs)];
    expect(examples.length).toBeGreaterThan(3);
    for (const [, example] of examples)
      expect(parse(example ?? "").definitions.map((definition) => definition.kind)).toEqual([
        "OperationDefinition",
      ]);
  });

  test("tells the agent how the ticket leaves the active states, or it would run until the limit", () => {
    const { settings, template } = loaded(name).workflow;
    expect(template).toContain("issueUpdate");
    expect(template).toContain("stateId");
    expect(settings.limits.maxRunsPerIssue).toBeLessThan(15);
  });
});

test("the files can run side by side: no state of one is active in another, and no workspace root is shared", () => {
  const all = files.map((name) => loaded(name).workflow.settings);
  const active = all.flatMap((settings) => settings.tracker.activeStates);
  expect(new Set(active).size).toBe(active.length);
  expect(new Set(all.map((settings) => settings.workspace.root)).size).toBe(all.length);
});

test("triage cannot change code", () => {
  const { codex } = loaded("triage.md").workflow.settings;
  expect(codex).toMatchObject({ threadSandbox: "read-only", turnSandboxPolicy: null, writableGit: false });
});
