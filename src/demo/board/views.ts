/**
 * Records as GraphQL sees them: objects whose functions are the fields that follow a link or take arguments. graphql-js
 * calls only those that were asked for, so a lean query stays cheap.
 */
import type {
  BoardAttachment,
  BoardComment,
  BoardIssue,
  BoardLabel,
  BoardProject,
  BoardRelation,
  BoardState,
  BoardUser,
} from "./entities.ts";
import { type Filter, Filters } from "./filter.ts";
import { connection, type PageArguments } from "./paging.ts";
import type { BoardStore } from "./store.ts";

export type ListArguments = PageArguments & { readonly filter?: Filter | null };

const priorityLabels = ["No priority", "Urgent", "High", "Medium", "Low"];
const grey = "#95a2b3";

export class Views {
  readonly #store: BoardStore;
  readonly #filters: Filters;
  /** Where links on the board lead. */
  readonly #base: string;

  constructor(store: BoardStore, base: string) {
    this.#store = store;
    this.#filters = new Filters(store);
    this.#base = base;
  }

  readonly issue = (issue: BoardIssue) => ({
    ...issue,
    url: `${this.#base}/issue/${issue.identifier}`,
    branchName: branchNameOf(issue),
    priorityLabel: priorityLabels[issue.priority] ?? "No priority",
    trashed: issue.trashed ? true : null,
    previousIdentifiers: [],
    delegate: null,
    createdAt: issue.createdAt.toISOString(),
    updatedAt: issue.updatedAt.toISOString(),
    archivedAt: issue.archivedAt?.toISOString() ?? null,
    startedAt: issue.startedAt?.toISOString() ?? null,
    completedAt: issue.completedAt?.toISOString() ?? null,
    canceledAt: issue.canceledAt?.toISOString() ?? null,
    state: () => this.state(this.#store.state(issue.stateId)),
    team: () => this.team(),
    project: () => maybe(this.#store.projects.find(byId(issue.projectId)), this.project),
    assignee: () => maybe(this.#store.users.find(byId(issue.assigneeId)), this.user),
    creator: () => maybe(this.#store.users.find(byId(issue.creatorId)), this.user),
    parent: () => maybe(this.#store.issues.get(issue.parentId ?? ""), this.issue),
    labels: (args: ListArguments) =>
      this.labels(
        issue.labelIds.flatMap((id) => this.#store.labels.get(id) ?? []),
        args,
      ),
    comments: (args: ListArguments) => this.comments(where(this.#store.comments, "issueId", issue.id), args),
    children: (args: ListArguments) => this.issues(where(this.#store.issues, "parentId", issue.id), args),
    attachments: (args: PageArguments) =>
      this.attachments(where(this.#store.attachments, "issueId", issue.id), args),
    relations: (args: PageArguments) =>
      this.#relations(where(this.#store.relations, "issueId", issue.id), args),
    inverseRelations: (args: PageArguments) =>
      this.#relations(where(this.#store.relations, "relatedIssueId", issue.id), args),
  });

  readonly comment = (comment: BoardComment): object => ({
    ...comment,
    url: `${this.#base}/comment/${comment.id}`,
    createdAt: comment.createdAt.toISOString(),
    updatedAt: comment.updatedAt.toISOString(),
    editedAt: comment.editedAt?.toISOString() ?? null,
    issue: () => maybe(this.#store.issues.get(comment.issueId), this.issue),
    user: () => maybe(this.#store.users.find(byId(comment.userId)), this.user),
    parent: () => maybe(this.#store.comments.get(comment.parentId ?? ""), this.comment),
    children: (args: ListArguments) =>
      this.comments(where(this.#store.comments, "parentId", comment.id), args),
  });

  readonly attachment = (attachment: BoardAttachment) => ({
    ...attachment,
    createdAt: attachment.createdAt.toISOString(),
    updatedAt: attachment.createdAt.toISOString(),
    issue: () => this.issue(this.#store.issue(attachment.issueId)),
    creator: () => this.user(this.#store.viewer),
  });

  readonly relation = (relation: BoardRelation) => ({
    ...relation,
    createdAt: relation.createdAt.toISOString(),
    issue: () => this.issue(this.#store.issue(relation.issueId)),
    relatedIssue: () => this.issue(this.#store.issue(relation.relatedIssueId)),
  });

  readonly state = (state: BoardState) => ({ ...state, color: grey, team: () => this.team() });
  readonly label = (label: BoardLabel) => ({ ...label, color: grey, team: () => this.team() });

  readonly user = (user: BoardUser) => ({
    ...user,
    active: true,
    admin: false,
    isMe: user.id === this.#store.viewer.id,
    url: `${this.#base}/profiles/${user.displayName}`,
  });

  readonly project = (project: BoardProject) => ({
    ...project,
    description: "",
    url: `${this.#base}/project/${project.slugId}`,
    issues: (args: ListArguments) => this.issues(where(this.#store.issues, "projectId", project.id), args),
    teams: (args: ListArguments) => this.teams(args),
  });

  readonly team = () => ({
    ...this.#store.team,
    displayName: this.#store.team.name,
    states: (args: ListArguments) => this.states(args),
    labels: (args: ListArguments) => this.labels([...this.#store.labels.values()], args),
    members: (args: ListArguments) => this.users(args),
    issues: (args: ListArguments) => this.issues([...this.#store.issues.values()], args),
  });

  issues(issues: readonly BoardIssue[], args: ListArguments) {
    return connection(kept(issues, args, this.#filters.issue), args, this.issue);
  }

  comments(comments: readonly BoardComment[], args: ListArguments) {
    return connection(kept(comments, args, this.#filters.comment), args, this.comment);
  }

  labels(labels: readonly BoardLabel[], args: ListArguments) {
    return connection(kept(labels, args, this.#filters.label), args, this.label);
  }

  attachments(attachments: readonly BoardAttachment[], args: PageArguments) {
    return connection(attachments, args, this.attachment);
  }

  users(args: ListArguments) {
    return connection(kept(this.#store.users, args, this.#filters.user), args, this.user);
  }

  states(args: ListArguments) {
    return connection(kept(this.#store.states, args, this.#filters.state), args, this.state);
  }

  teams(args: ListArguments) {
    return connection(kept([this.#store.team], args, this.#filters.team), args, this.team);
  }

  projects(args: ListArguments) {
    return connection(kept(this.#store.projects, args, this.#filters.project), args, this.project);
  }

  #relations(relations: readonly BoardRelation[], args: PageArguments) {
    return connection(relations, args, this.relation);
  }
}

const byId =
  (id: string | null) =>
  (record: { readonly id: string }): boolean =>
    record.id === id;

const maybe = <T, V>(record: T | undefined, view: (record: T) => V): V | null =>
  record === undefined ? null : view(record);

const where = <T, K extends keyof T>(records: ReadonlyMap<string, T>, key: K, value: T[K]): readonly T[] =>
  [...records.values()].filter((record) => record[key] === value);

const kept = <T>(
  records: readonly T[],
  args: ListArguments,
  test: (filter: Filter, record: T) => boolean,
): readonly T[] => {
  const filter = args.filter ?? null;
  return filter === null ? records : records.filter((record) => test(filter, record));
};

const branchNameOf = (issue: BoardIssue): string => {
  const words = issue.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `${issue.identifier.toLowerCase()}-${words}`.slice(0, 60).replace(/-+$/, "");
};
