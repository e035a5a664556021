/** The roots of the schema: what can be asked, and what can be changed, as functions of their arguments. */
import type { BoardIssue, BoardRelation } from "./entities.ts";
import { BoardError, type BoardStore, need } from "./store.ts";
import type { PageArguments } from "./paging.ts";
import { type ListArguments, Views } from "./views.ts";

interface ById {
  readonly id: string;
}

interface IssueInput {
  readonly id?: string;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly priority?: number | null;
  readonly stateId?: string | null;
  readonly assigneeId?: string | null;
  readonly projectId?: string | null;
  readonly parentId?: string | null;
  readonly labelIds?: readonly string[] | null;
  readonly addedLabelIds?: readonly string[] | null;
  readonly removedLabelIds?: readonly string[] | null;
  readonly trashed?: boolean | null;
}

interface AttachmentInput {
  readonly id?: string;
  readonly issueId: string;
  readonly title?: string | null;
  readonly subtitle?: string | null;
  readonly url: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** The root value for graphql-js. */
export const rootOf = (store: BoardStore, base: string): object => {
  const views = new Views(store, base);
  return { ...queries(store, views), ...mutations(store, views) };
};

const queries = (store: BoardStore, views: Views) => ({
  viewer: () => views.user(store.viewer),
  organization: () => ({ id: store.team.id, name: store.team.name, urlKey: store.team.key.toLowerCase() }),
  issue: ({ id }: ById) => views.issue(store.issue(id)),
  issues: (args: ListArguments) => views.issues([...store.issues.values()], args),
  comment: ({ id }: Partial<ById>) => views.comment(need(store.comments.get(id ?? ""), "Comment")),
  comments: (args: ListArguments) => views.comments([...store.comments.values()], args),
  user: ({ id }: ById) =>
    views.user(
      need(
        store.users.find((user) => user.id === id),
        "User",
      ),
    ),
  users: (args: ListArguments) => views.users(args),
  team: ({ id }: ById) => {
    if (id !== store.team.id && id.toUpperCase() !== store.team.key) need(undefined, "Team");
    return views.team();
  },
  teams: (args: ListArguments) => views.teams(args),
  project: ({ id }: ById) => views.project(projectOf(store, id)),
  projects: (args: ListArguments) => views.projects(args),
  workflowState: ({ id }: ById) => views.state(store.state(id)),
  workflowStates: (args: ListArguments) => views.states(args),
  issueLabels: (args: ListArguments) => views.labels([...store.labels.values()], args),
  attachmentsForURL: (args: PageArguments & { readonly url: string }) =>
    views.attachments(
      [...store.attachments.values()].filter((attachment) => attachment.url === args.url),
      args,
    ),
  rateLimitStatus: () => ({ identifier: store.viewer.id, kind: "apiKey", limits: [] }),
});

const mutations = (store: BoardStore, views: Views) => {
  const issuePayload = (issue: BoardIssue) => done({ issue: views.issue(issue) });
  const attach = ({ id, issueId, url, title, subtitle, metadata }: AttachmentInput) => {
    const shown = { title: title ?? url, subtitle: subtitle ?? null, metadata: metadata ?? {} };
    return done({ attachment: views.attachment(store.attach({ id, issueId, url, ...shown })) });
  };
  return {
    issueCreate: ({ input }: { readonly input: IssueInput & { readonly teamId: string } }) => {
      if (input.teamId !== store.team.id) need(undefined, "Team");
      const issue = store.add({
        id: input.id,
        title: input.title ?? "Untitled",
        state: "Backlog",
        project: null,
      });
      return issuePayload(updated(store, issue.id, input));
    },
    issueUpdate: ({ id, input }: ById & { readonly input: IssueInput }) =>
      issuePayload(updated(store, id, input)),
    issueAddLabel: ({ id, labelId }: ById & { readonly labelId: string }) =>
      issuePayload(updated(store, id, { addedLabelIds: [labelId] })),
    issueRemoveLabel: ({ id, labelId }: ById & { readonly labelId: string }) =>
      issuePayload(updated(store, id, { removedLabelIds: [labelId] })),
    commentCreate: ({
      input,
    }: {
      readonly input: { id?: string; issueId?: string; body?: string; parentId?: string };
    }) => {
      if (input.issueId === undefined) throw new BoardError("Argument Validation Error: issueId is missing");
      const { id, issueId, parentId } = input;
      return done({
        comment: views.comment(store.comment({ id, issueId, parentId, body: input.body ?? "" })),
      });
    },
    commentUpdate: ({ id, input }: ById & { readonly input: { readonly body?: string } }) => {
      const body = input.body ?? need(store.comments.get(id), "Comment").body;
      return done({ comment: views.comment(store.editComment(id, body)) });
    },
    commentDelete: ({ id }: ById) => {
      need(store.comments.get(id), "Comment");
      store.comments.delete(id);
      return done({ entityId: id });
    },
    attachmentCreate: ({ input }: { readonly input: AttachmentInput }) => attach(input),
    attachmentLinkURL: attach,
    attachmentLinkGitHubPR: attach,
    issueRelationCreate: ({ input }: { readonly input: Omit<BoardRelation, "createdAt"> }) =>
      done({ issueRelation: views.relation(store.relate(input)) }),
  };
};

/** Every reference is checked before anything is changed. */
function updated(store: BoardStore, id: string, input: IssueInput): BoardIssue {
  const issue = store.issue(id);
  const state = typeof input.stateId === "string" ? store.state(input.stateId) : null;
  const labelIds = new Set(input.labelIds ?? issue.labelIds);
  for (const label of [...(input.labelIds ?? []), ...(input.addedLabelIds ?? [])]) {
    labelIds.add(need(store.labels.get(label), "IssueLabel").id);
  }
  for (const label of input.removedLabelIds ?? []) labelIds.delete(label);
  if (typeof input.projectId === "string") projectOf(store, input.projectId);
  if (typeof input.assigneeId === "string")
    need(
      store.users.find((user) => user.id === input.assigneeId),
      "User",
    );
  if (state !== null && state.id !== issue.stateId) store.move(issue.id, state.id);
  const changed = store.edit(issue.id, {
    labelIds: [...labelIds],
    ...(typeof input.title === "string" ? { title: input.title } : {}),
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(typeof input.priority === "number" ? { priority: input.priority } : {}),
    ...(input.assigneeId === undefined ? {} : { assigneeId: input.assigneeId }),
    ...(input.projectId === undefined ? {} : { projectId: input.projectId }),
    ...(typeof input.parentId === "string" ? { parentId: store.issue(input.parentId).id } : {}),
  });
  return input.trashed === true ? store.trash(issue.id) : changed;
}

const projectOf = (store: BoardStore, id: string) =>
  need(
    store.projects.find((project) => project.id === id || project.slugId === id),
    "Project",
  );

const done = <T extends object>(payload: T) => ({ ...payload, success: true, lastSyncId: 1 });
