import { expect, test } from "vitest";
import { instant } from "../../../src/domain/time.ts";
import { variablesOf } from "../../../src/workflow/variables.ts";
import { madeIssue } from "../scheduler/made.ts";

test("every field is there, null when it is unknown: a template that names it does not fail", () => {
  const { issue } = variablesOf(madeIssue("A-1", { createdAt: null, updatedAt: instant(Number.NaN) }), null);
  expect(issue).toMatchObject({
    identifier: "A-1",
    description: null,
    branch_name: null,
    url: null,
    created_at: null,
    updated_at: null,
  });
});

test("texts are as people see them: what is hidden in them is not for the agent either", () => {
  const { issue } = variablesOf(madeIssue("A-1", { title: "Fix\u200b it", labels: ["ba\u2060ton"] }), 2);
  expect([issue.title, issue.labels]).toEqual(["Fix it", ["baton"]]);
});
