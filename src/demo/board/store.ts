/**
 * The board's memory: one team, its issues and all that hangs on them. The GraphQL side and the demo both edit it through
 * these methods, and every edit is told to the listeners after it is done. Knows nothing of GraphQL or HTTP.
 */
import { randomUUID } from "node:crypto";
import {
  type BoardAttachment,
  type BoardChange,
  type BoardComment,
  type BoardIssue,
  type BoardLabel,
  type BoardProject,
  type BoardRelation,
  type BoardSeed,
  type BoardState,
  type BoardTeam,
  type BoardUser,
  usualStates,
} from "./entities.ts";

/** A request that names something the board does not have, or says something it cannot take; the client's fault. */
export class BoardError extends Error {}

export interface IssueDraft {
  readonly id?: string | undefined;
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly priority?: number | null | undefined;
  /** Names; a label that does not exist yet is made. */
  readonly state?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  /** The project's slugId; the first project when left out, null for none. */
  readonly project?: string | null | undefined;
  readonly assigneeId?: string | null | undefined;
  readonly parentId?: string | null | undefined;
}

export class BoardStore {
  readonly team: BoardTeam;
  readonly viewer: BoardUser;
  readonly users: readonly BoardUser[];
  readonly states: readonly BoardState[];
  readonly projects: readonly BoardProject[];
  readonly labels = new Map<string, BoardLabel>();
  readonly issues = new Map<string, BoardIssue>();
  readonly comments = new Map<string, BoardComment>();
  readonly relations = new Map<string, BoardRelation>();
  readonly attachments = new Map<string, BoardAttachment>();
  readonly #now: () => Date;
  readonly #listeners = new Set<(change: BoardChange) => void>();
  #number = 0;

  constructor(seed: BoardSeed, now: () => Date) {
    this.#now = now;
    this.team = { id: randomUUID(), ...(seed.team ?? { key: "DEMO", name: "Demo" }) };
    this.projects = (seed.projects ?? [{ name: "Demo", slugId: "demo" }]).map(withId);
    this.states = (seed.states ?? usualStates).map((state, position) => ({ ...withId(state), position }));
    const users = seed.users ?? [{ name: "Ada Byron", email: "ada@example.com" }];
    this.users = users.map((user) => ({
      ...withId(user),
      displayName: user.name.split(" ")[0] ?? user.name,
    }));
    this.viewer = need(this.users[0], "a user");
  }

  /** Calls back after every edit, synchronously. Returns what ends it. */
  subscribe(listener: (change: BoardChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(draft: IssueDraft): BoardIssue {
    const number = ++this.#number;
    const at = this.#now();
    const project = draft.project === undefined ? this.projects[0]?.slugId : draft.project;
    const issue: BoardIssue = {
      id: draft.id ?? randomUUID(),
      number,
      identifier: `${this.team.key}-${number}`,
      title: draft.title,
      description: draft.description ?? null,
      priority: draft.priority ?? 0,
      stateId: this.state(draft.state ?? "Todo").id,
      projectId:
        project === null
          ? null
          : need(
              this.projects.find((one) => one.slugId === project),
              "Project",
            ).id,
      assigneeId: draft.assigneeId ?? null,
      creatorId: this.viewer.id,
      parentId: draft.parentId ?? null,
      labelIds: (draft.labels ?? []).map((name) => this.labelNamed(name).id),
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
      trashed: false,
      startedAt: null,
      completedAt: null,
      canceledAt: null,
    };
    this.issues.set(issue.id, issue);
    this.#tell({ type: "issue_added", issue });
    return issue;
  }

  /** By id or identifier, as Linear takes both. @throws BoardError */
  issue(id: string): BoardIssue {
    const key = id.toUpperCase();
    const known = this.issues.get(id) ?? [...this.issues.values()].find((issue) => issue.identifier === key);
    return need(known, "Issue");
  }

  edit(id: string, change: Partial<BoardIssue>): BoardIssue {
    const before = this.issue(id);
    const issue = { ...before, updatedAt: this.#now(), ...change };
    this.issues.set(issue.id, issue);
    this.#tell({ type: "issue_changed", issue, before });
    return issue;
  }

  /** By state name; sets the times that go with the state's type. */
  move(id: string, stateName: string): BoardIssue {
    const state = this.state(stateName);
    const at = this.#now();
    return this.edit(id, {
      stateId: state.id,
      ...(state.type === "started" && this.issue(id).startedAt === null ? { startedAt: at } : {}),
      completedAt: state.type === "completed" ? at : null,
      canceledAt: state.type === "canceled" ? at : null,
    });
  }

  label(id: string, name: string): BoardIssue {
    const labelIds = new Set([...this.issue(id).labelIds, this.labelNamed(name).id]);
    return this.edit(id, { labelIds: [...labelIds] });
  }

  unlabel(id: string, name: string): BoardIssue {
    const gone = this.labelNamed(name).id;
    return this.edit(id, { labelIds: this.issue(id).labelIds.filter((label) => label !== gone) });
  }

  archive(id: string): BoardIssue {
    return this.edit(id, { archivedAt: this.#now() });
  }

  /** Into the trash, where Linear keeps it archived until it is deleted for good. */
  trash(id: string): BoardIssue {
    return this.edit(id, { archivedAt: this.#now(), trashed: true });
  }

  remove(id: string): void {
    const issue = this.issue(id);
    this.issues.delete(issue.id);
    for (const relation of this.relations.values()) {
      if (relation.issueId === issue.id || relation.relatedIssueId === issue.id)
        this.relations.delete(relation.id);
    }
    this.#tell({ type: "issue_removed", issue });
  }

  relate(
    draft: Pick<BoardRelation, "type" | "issueId" | "relatedIssueId"> & { readonly id?: string },
  ): BoardRelation {
    const relation = {
      id: draft.id ?? randomUUID(),
      type: draft.type,
      issueId: this.issue(draft.issueId).id,
      relatedIssueId: this.issue(draft.relatedIssueId).id,
      createdAt: this.#now(),
    };
    this.relations.set(relation.id, relation);
    this.#tell({ type: "relation_added", relation });
    return relation;
  }

  comment(draft: {
    readonly id?: string | undefined;
    readonly issueId: string;
    readonly body: string;
    readonly parentId?: string | null | undefined;
    readonly userId?: string | undefined;
  }): BoardComment {
    const issue = this.issue(draft.issueId);
    const at = this.#now();
    const comment: BoardComment = {
      id: draft.id ?? randomUUID(),
      issueId: issue.id,
      userId: draft.userId ?? this.viewer.id,
      parentId: draft.parentId ?? null,
      body: draft.body,
      createdAt: at,
      updatedAt: at,
      editedAt: null,
    };
    this.comments.set(comment.id, comment);
    this.#tell({ type: "comment_added", issue, comment });
    return comment;
  }

  editComment(id: string, body: string): BoardComment {
    const at = this.#now();
    const comment = { ...need(this.comments.get(id), "Comment"), body, updatedAt: at, editedAt: at };
    this.comments.set(id, comment);
    this.#tell({ type: "comment_changed", issue: this.issue(comment.issueId), comment });
    return comment;
  }

  attach(
    draft: Omit<BoardAttachment, "id" | "createdAt"> & { readonly id?: string | undefined },
  ): BoardAttachment {
    const issue = this.issue(draft.issueId);
    // Linear keeps one attachment per issue and URL: attaching again updates it.
    const same = [...this.attachments.values()].find(
      (one) => one.issueId === issue.id && one.url === draft.url,
    );
    const id = same?.id ?? draft.id ?? randomUUID();
    const attachment = { ...draft, id, issueId: issue.id, createdAt: same?.createdAt ?? this.#now() };
    this.attachments.set(id, attachment);
    this.#tell({ type: "attachment_added", issue, attachment });
    return attachment;
  }

  /** By name or id. @throws BoardError */
  state(nameOrId: string): BoardState {
    const key = nameOrId.toLowerCase();
    return need(
      this.states.find((one) => one.id === nameOrId || one.name.toLowerCase() === key),
      "WorkflowState",
    );
  }

  /** By name, made when there is none. */
  labelNamed(name: string): BoardLabel {
    const key = name.toLowerCase();
    const known = [...this.labels.values()].find((label) => label.name.toLowerCase() === key);
    const label = known ?? { id: randomUUID(), name };
    this.labels.set(label.id, label);
    return label;
  }

  #tell(change: BoardChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

const withId = <T extends object>(record: T): T & { readonly id: string } => ({
  id: randomUUID(),
  ...record,
});

/** @throws BoardError in Linear's words for what is not there */
export function need<T>(value: T | undefined, kind: string): T {
  if (value === undefined) throw new BoardError(`Entity not found: ${kind}`);
  return value;
}
