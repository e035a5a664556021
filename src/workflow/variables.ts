/** What a prompt template may use (SPEC 5.4, 12.2): `issue` with snake_case keys, and `attempt`. */
import type { Instant, Issue } from "../domain/domain.ts";
import { visible, visibleLine } from "./visible.ts";

/**
 * Every field is always there, null when unknown: strict rendering fails on absent ones only. Texts are as people see
 * them in the tracker: anybody may have written them, and hidden in them what is meant for the agent alone. Only the
 * description is Markdown.
 */
export const variablesOf = (issue: Issue, attempt: number | null) => ({
  issue: {
    id: issue.id,
    native_ref: issue.nativeRef,
    identifier: visibleLine(issue.identifier),
    title: visibleLine(issue.title),
    description: issue.description === null ? null : visible(issue.description),
    priority: issue.priority,
    state: visibleLine(issue.state),
    branch_name: seen(issue.branchName),
    url: seen(issue.url),
    assignee_id: issue.assigneeId,
    labels: issue.labels.map(visibleLine),
    blocked_by: issue.blockedBy.map(({ id, identifier, state }) => ({
      id,
      identifier: seen(identifier),
      state: seen(state),
    })),
    created_at: iso(issue.createdAt),
    updated_at: iso(issue.updatedAt),
    dispatchable: issue.dispatchable,
  },
  attempt,
});

const seen = (text: string | null): string | null => (text === null ? null : visibleLine(text));

const iso = (at: Instant | null): string | null => {
  const date = at === null ? null : new Date(at);
  return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString();
};
