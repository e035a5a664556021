import type { Issue } from "../../../src/domain/issue.ts";
import { sampleIssue } from "../../../src/workflow/workflow.ts";

/** An issue with nothing but what every issue has. */
export const bareIssue: Issue = {
  ...sampleIssue,
  description: null,
  priority: null,
  branchName: null,
  url: null,
  labels: [],
  blockedBy: [],
  createdAt: null,
  updatedAt: null,
};
