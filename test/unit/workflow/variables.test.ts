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

test("a prompt and its tools get the tracker's own names of the issue and its assignee, as they are", () => {
  const nativeRef = { id: "i-1", team_id: "t-1", project_id: null };
  const { issue } = variablesOf(madeIssue("A-1", { nativeRef, assigneeId: "u-1" }), null);
  expect(issue).toMatchObject({ native_ref: nativeRef, assignee_id: "u-1" });
  expect(variablesOf(madeIssue("A-1"), null).issue).toMatchObject({ native_ref: null, assignee_id: null });
});

test("texts are as people see them: what is hidden in them is not for the agent either", () => {
  const { issue } = variablesOf(madeIssue("A-1", { title: "Fix\u200b it", labels: ["ba\u2060ton"] }), 2);
  expect([issue.title, issue.labels]).toEqual(["Fix it", ["baton"]]);
});
