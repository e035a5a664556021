/** An issue with every field filled, to try a prompt on before the first real one comes. */
import { instant, type Issue, issueId } from "../domain/domain.ts";

export const sampleIssue: Issue = {
  id: issueId("00000000-0000-4000-8000-000000000001"),
  identifier: "SAMPLE-1",
  title: "Dates in the export are one day early",
  description:
    "Rows exported after 23:00 carry the date of the day before.\n\nExpected: the date in the user's time zone.",
  priority: 2,
  state: "Todo",
  nativeRef: {
    id: "00000000-0000-4000-8000-000000000001",
    team_id: "00000000-0000-4000-8000-000000000003",
    project_id: "00000000-0000-4000-8000-000000000004",
    state_id: "00000000-0000-4000-8000-000000000005",
  },
  assigneeId: "00000000-0000-4000-8000-000000000006",
  branchName: "sample-1-dates-in-the-export",
  url: "https://linear.app/sample/issue/SAMPLE-1",
  labels: ["bug", "export"],
  blockedBy: [{ id: "00000000-0000-4000-8000-000000000002", identifier: "SAMPLE-2", state: "Done" }],
  createdAt: instant(Date.UTC(2026, 0, 5, 9, 30)),
  updatedAt: instant(Date.UTC(2026, 0, 6, 14)),
  dispatchable: true,
};

/** What a ticket may lack, in words behind "a ticket", and what it then has in its place. */
export const LACKS: readonly (readonly [what: string, without: Partial<Issue>])[] = [
  ["without a description", { description: null }],
  ["without labels", { labels: [] }],
  ["that nothing blocks", { blockedBy: [] }],
  ["without an assignee", { assigneeId: null }],
  ["without a priority", { priority: null }],
  ["without a branch", { branchName: null }],
  ["without an address", { url: null }],
];
