/** What the board holds: plain records, replaced when they change, linked by id. */

export interface BoardUser {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
}

export interface BoardTeam {
  readonly id: string;
  readonly key: string;
  readonly name: string;
}

export interface BoardProject {
  readonly id: string;
  readonly name: string;
  readonly slugId: string;
}

export interface BoardState {
  readonly id: string;
  readonly name: string;
  /** Linear's: triage, backlog, unstarted, started, completed, canceled, duplicate. */
  readonly type: string;
  readonly position: number;
}

export interface BoardLabel {
  readonly id: string;
  readonly name: string;
}

export interface BoardIssue {
  readonly id: string;
  readonly number: number;
  readonly identifier: string;
  readonly title: string;
  readonly description: string | null;
  /** 0 = none, 1 = urgent to 4 = low. */
  readonly priority: number;
  readonly stateId: string;
  readonly projectId: string | null;
  readonly assigneeId: string | null;
  readonly creatorId: string;
  readonly parentId: string | null;
  readonly labelIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly archivedAt: Date | null;
  readonly trashed: boolean;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly canceledAt: Date | null;
}

export interface BoardComment {
  readonly id: string;
  readonly issueId: string;
  readonly userId: string;
  readonly parentId: string | null;
  readonly body: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly editedAt: Date | null;
}

/** `issueId` blocks, duplicates or is related to `relatedIssueId`. */
export interface BoardRelation {
  readonly id: string;
  readonly type: "blocks" | "duplicate" | "related" | "similar";
  readonly issueId: string;
  readonly relatedIssueId: string;
  readonly createdAt: Date;
}

export interface BoardAttachment {
  readonly id: string;
  readonly issueId: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly url: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** What happened on the board, for whoever follows it. */
export type BoardChange =
  | { readonly type: "issue_added"; readonly issue: BoardIssue }
  | { readonly type: "issue_changed"; readonly issue: BoardIssue; readonly before: BoardIssue }
  | { readonly type: "issue_removed"; readonly issue: BoardIssue }
  | { readonly type: "comment_added"; readonly issue: BoardIssue; readonly comment: BoardComment }
  | { readonly type: "comment_changed"; readonly issue: BoardIssue; readonly comment: BoardComment }
  | { readonly type: "relation_added"; readonly relation: BoardRelation }
  | { readonly type: "attachment_added"; readonly issue: BoardIssue; readonly attachment: BoardAttachment };

/** What the board begins with; a team of one, the usual states and one project when left out. */
export interface BoardSeed {
  readonly team?: { readonly key: string; readonly name: string };
  readonly projects?: readonly { readonly name: string; readonly slugId: string }[];
  readonly states?: readonly { readonly name: string; readonly type: string }[];
  /** The first is the owner of the key: `viewer`, and author of what the API writes. */
  readonly users?: readonly { readonly name: string; readonly email: string }[];
}

export const usualStates = [
  { name: "Backlog", type: "backlog" },
  { name: "Todo", type: "unstarted" },
  { name: "In Progress", type: "started" },
  { name: "Human Review", type: "started" },
  { name: "Rework", type: "started" },
  { name: "Merging", type: "started" },
  { name: "Done", type: "completed" },
  { name: "Canceled", type: "canceled" },
  { name: "Duplicate", type: "duplicate" },
] as const;
