/** What a prompt template may use (SPEC 5.4, 12.2): `issue` with snake_case keys, and `attempt`. */
import type { Issue } from "../domain/issue.ts";
import type { Instant } from "../domain/time.ts";

/** Every field is always there, null when unknown: strict rendering fails on absent ones only. */
export const variablesOf = (issue: Issue, attempt: number | null) => ({
  issue: {
    id: issue.id,
    identifier: issue.identifier,
    title: issue.title,
    description: issue.description,
    priority: issue.priority,
    state: issue.state,
    branch_name: issue.branchName,
    url: issue.url,
    labels: [...issue.labels],
    blocked_by: issue.blockedBy.map(({ id, identifier, state }) => ({ id, identifier, state })),
    created_at: iso(issue.createdAt),
    updated_at: iso(issue.updatedAt),
    dispatchable: issue.dispatchable,
  },
  attempt,
});

const iso = (at: Instant | null): string | null => {
  const date = at === null ? null : new Date(at);
  return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString();
};
