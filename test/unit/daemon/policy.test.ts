import { expect, test } from "vitest";
import { policyOf } from "../../../src/daemon/policy.ts";
import { withLines, workflowOf } from "../workflow/parsing.ts";

test("states are compared without their spelling, and limits come as they are written", () => {
  const policy = policyOf(
    workflowOf(
      withLines("  active_states: [In Progress]\nlimits: {max_runs_per_issue: 7}\nagent: {max_turns: 4}"),
    ),
  );
  expect([...policy.activeStates]).toEqual(["in progress"]);
  expect(policy).toMatchObject({ limits: { maxRunsPerIssue: 7 }, turnsMax: 4 });
});

test("a new text is a new policy", () => {
  const text = withLines("");
  expect(policyOf(workflowOf(text)).hash).not.toBe(policyOf(workflowOf(`${text}.`)).hash);
});

test("what changes which issues are meant, where, or by whose key is a new scope, and nothing else is", () => {
  const scope = (lines: string): string => policyOf(workflowOf(withLines(lines))).scope;
  const usual = scope("");
  expect(scope("polling: {interval_ms: 5000}")).toBe(usual);
  for (const line of [
    "  required_labels: [other]",
    "  active_states: [Rework]",
    "  terminal_states: [Gone]",
    "  assignee: me",
    "  api_key: another-key",
    "  endpoint: https://linear.example/graphql",
  ])
    expect(scope(line)).not.toBe(usual);
});
