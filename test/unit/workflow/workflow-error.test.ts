import { expect, test } from "vitest";
import { line, type Problem, WorkflowError } from "../../../src/workflow/workflow-error.ts";

const problem = (kind: Problem["kind"], text = kind as string): Problem => ({
  kind,
  place: { line: 3, column: 7 },
  key: "agent.max_turns",
  text,
});

test("a line is file:line:column: key: text, without the parts that are not known", () => {
  const place = { line: 3, column: 7 };
  expect(line("/W.md", { place, key: "a.b", text: "no" })).toBe("/W.md:3:7: a.b: no");
  expect(line("/W.md", { place, key: null, text: "no" })).toBe("/W.md:3:7: no");
  expect(line("/W.md", { place: null, key: null, text: "no" })).toBe("/W.md: no");
});

test("of several kinds the one is told that a preflight would meet first (SPEC 6.3), whatever their order", () => {
  const inOrder = [
    "missing_workflow_file",
    "workflow_parse_error",
    "workflow_front_matter_not_a_map",
    "unsupported_tracker_kind",
    "missing_tracker_secret",
    "invalid_tracker_config",
    "workflow_invalid",
  ] as const;
  for (const [n, kind] of inOrder.entries()) {
    const rest = inOrder.slice(n).toReversed();
    expect(
      new WorkflowError(
        "/W.md",
        rest.map((one) => problem(one)),
      ).kind,
    ).toBe(kind);
  }
});

test("every problem is kept, the first twenty are told, and the others are counted", () => {
  const many = Array.from({ length: 22 }, (_, n) => problem("workflow_invalid", `p${n}.`));
  const told = new WorkflowError("/W.md", many);
  expect(told.problems).toHaveLength(22);
  const lines = told.message.split("\n");
  expect(lines).toHaveLength(21);
  expect(lines.at(19)).toContain("p19.");
  expect(lines.at(-1)).toBe("and 2 more problems");
  expect(new WorkflowError("/W.md", many.slice(0, 21)).message).toContain("\nand 1 more");
  expect(new WorkflowError("/W.md", many.slice(0, 20)).message).not.toContain(" more");
});

test("an error without a problem still says which file and what kind", () => {
  expect(new WorkflowError("/W.md", [])).toMatchObject({
    message: "/W.md: not usable",
    kind: "workflow_invalid",
    path: "/W.md",
  });
});
