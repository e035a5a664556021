import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { sections } from "../../../src/workflow/schema.ts";
import { jsonSchema } from "../../../src/workflow/workflow.ts";

const schema = jsonSchema() as {
  properties: Record<string, { properties?: Record<string, Record<string, unknown>> }>;
};
const accepts = new Ajv({ strict: false }).compile(schema);

test("it is a valid schema that every key of every section is described in", () => {
  for (const [name, section] of Object.entries(sections))
    for (const key of Object.keys(section.shape)) {
      const described = schema.properties[name]?.properties?.[key];
      expect(described?.["description"], `${name}.${key}`).toMatch(/\S{3}/);
    }
});

test("defaults are shown where there are any", () => {
  const of = (section: string, key: string) => schema.properties[section]?.properties?.[key]?.["default"];
  expect(of("agent", "max_turns")).toBe(20);
  expect(of("tracker", "active_states")).toEqual(["Todo", "In Progress"]);
  expect(of("codex", "approval_policy")).toBe("never");
  expect(of("tracker", "endpoint")).toBe("https://api.linear.app/graphql");
});

describe("it accepts what the loader accepts", () => {
  test.each([
    "{}",
    "tracker: {kind: linear, project_slug: a, active_states: 'Todo, Doing', extra: 1}",
    "polling: {interval_ms: '5000'}",
    "workspace: {min_free_bytes: 2GiB, max_bytes: 40_000_000}",
    "workspace: {min_free_bytes: 0}",
    "codex: {turn_sandbox_policy: {type: workspaceWrite, networkAccess: true}}",
    "agent: {max_concurrent_agents_by_state: {Todo: 2}}",
    "own_extension: {anything: [1, 2]}",
  ])("%s", (yaml) => {
    expect(accepts(parse(yaml))).toBe(true);
  });

  test.each([
    "agent: {max_turns: none}",
    "agent: {max_turns: 0}",
    "workspace: {min_free_bytes: two}",
    "workspace: {max_bytes: 0}",
    "questions: {mode: ask}",
    "codex: {thread_sandbox: workspaceWrite}",
    "tracker: []",
  ])("and refuses %s", (yaml) => {
    expect(accepts(parse(yaml))).toBe(false);
  });
});
