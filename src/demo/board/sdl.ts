/**
 * The part of Linear's schema that the board speaks: names, types and nullability exactly as Linear has them, which
 * scripts/check-linear-schema.ts proves when Linear's own schema is at hand. Descriptions are ours.
 */

const listArguments = `after: String, before: String, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy`;

const connection = (node: string): string => `
type ${node}Connection { edges: [${node}Edge!]! nodes: [${node}!]! pageInfo: PageInfo! }
type ${node}Edge { cursor: String! node: ${node}! }`;

const scalars = `
scalar DateTime
scalar DateTimeOrDuration
scalar JSON
scalar JSONObject
scalar TimelessDate
enum PaginationOrderBy { createdAt updatedAt }
enum IssueRelationType { blocks duplicate related similar }
interface Node { id: ID! }
type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }`;

const roots = `
type Query {
  viewer: User!
  organization: Organization!
  issue(id: String!): Issue!
  issues(${listArguments}, filter: IssueFilter): IssueConnection!
  comment(hash: String, id: String): Comment!
  comments(${listArguments}, filter: CommentFilter): CommentConnection!
  user(id: String!): User!
  users(${listArguments}, filter: UserFilter, includeDisabled: Boolean): UserConnection!
  team(id: String!): Team!
  teams(${listArguments}, filter: TeamFilter): TeamConnection!
  project(id: String!): Project!
  projects(${listArguments}, filter: ProjectFilter): ProjectConnection!
  workflowState(id: String!): WorkflowState!
  workflowStates(${listArguments}, filter: WorkflowStateFilter): WorkflowStateConnection!
  issueLabels(${listArguments}, filter: IssueLabelFilter): IssueLabelConnection!
  attachmentsForURL(${listArguments}, url: String!): AttachmentConnection!
  rateLimitStatus: RateLimitPayload!
}
type Mutation {
  issueCreate(input: IssueCreateInput!): IssuePayload!
  issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
  issueAddLabel(id: String!, labelId: String!): IssuePayload!
  issueRemoveLabel(id: String!, labelId: String!): IssuePayload!
  commentCreate(input: CommentCreateInput!): CommentPayload!
  commentUpdate(id: String!, input: CommentUpdateInput!, skipEditedAt: Boolean): CommentPayload!
  commentDelete(id: String!): DeletePayload!
  attachmentCreate(input: AttachmentCreateInput!): AttachmentPayload!
  attachmentLinkURL(createAsUser: String, displayIconUrl: String, id: String, issueId: String!, title: String, url: String!): AttachmentPayload!
  attachmentLinkGitHubPR(createAsUser: String, displayIconUrl: String, id: String, issueId: String!, title: String, url: String!): AttachmentPayload!
  issueRelationCreate(input: IssueRelationCreateInput!): IssueRelationPayload!
}`;

const entities = `
type Issue implements Node {
  id: ID! identifier: String! number: Float! title: String! description: String url: String! branchName: String!
  priority: Float! priorityLabel: String! estimate: Float dueDate: TimelessDate
  createdAt: DateTime! updatedAt: DateTime! archivedAt: DateTime trashed: Boolean
  startedAt: DateTime completedAt: DateTime canceledAt: DateTime
  state: WorkflowState! team: Team! project: Project assignee: User creator: User delegate: User parent: Issue
  labelIds: [String!]! previousIdentifiers: [String!]!
  labels(${listArguments}, filter: IssueLabelFilter): IssueLabelConnection!
  comments(${listArguments}, filter: CommentFilter): CommentConnection!
  children(${listArguments}, filter: IssueFilter): IssueConnection!
  attachments(${listArguments}): AttachmentConnection!
  relations(${listArguments}): IssueRelationConnection!
  inverseRelations(${listArguments}): IssueRelationConnection!
}
type WorkflowState implements Node {
  id: ID! name: String! type: String! position: Float! color: String! description: String team: Team!
}
type IssueLabel implements Node { id: ID! name: String! color: String! description: String team: Team }
type IssueRelation implements Node { id: ID! type: String! issue: Issue! relatedIssue: Issue! createdAt: DateTime! }
type Comment implements Node {
  id: ID! body: String! url: String! createdAt: DateTime! updatedAt: DateTime! editedAt: DateTime archivedAt: DateTime resolvedAt: DateTime
  issue: Issue issueId: String user: User parent: Comment parentId: String
  children(${listArguments}, filter: CommentFilter): CommentConnection!
}
type Attachment implements Node {
  id: ID! title: String! subtitle: String url: String! metadata: JSONObject! sourceType: String
  createdAt: DateTime! updatedAt: DateTime! issue: Issue! creator: User
}
type User implements Node {
  id: ID! name: String! displayName: String! email: String! active: Boolean! admin: Boolean! isMe: Boolean! url: String!
}
type Team implements Node {
  id: ID! key: String! name: String! displayName: String! description: String
  states(${listArguments}, filter: WorkflowStateFilter): WorkflowStateConnection!
  labels(${listArguments}, filter: IssueLabelFilter): IssueLabelConnection!
  members(${listArguments}, filter: UserFilter, includeDisabled: Boolean): UserConnection!
  issues(${listArguments}, filter: IssueFilter, includeSubTeams: Boolean = false): IssueConnection!
}
type Project implements Node {
  id: ID! name: String! slugId: String! description: String! url: String!
  issues(${listArguments}, filter: IssueFilter): IssueConnection!
  teams(${listArguments}, filter: TeamFilter): TeamConnection!
}
type Organization implements Node { id: ID! name: String! urlKey: String! }
type RateLimitPayload { identifier: String kind: String! limits: [RateLimitResultPayload!]! }
type RateLimitResultPayload {
  allowedAmount: Float! period: Float! remainingAmount: Float! requestedAmount: Float! reset: Float! type: String!
}`;

const payloads = `
type IssuePayload { issue: Issue lastSyncId: Float! success: Boolean! }
type CommentPayload { comment: Comment! lastSyncId: Float! success: Boolean! }
type AttachmentPayload { attachment: Attachment! lastSyncId: Float! success: Boolean! }
type IssueRelationPayload { issueRelation: IssueRelation! lastSyncId: Float! success: Boolean! }
type DeletePayload { entityId: String! lastSyncId: Float! success: Boolean! }`;

const stringTests = `contains: String containsIgnoreCase: String endsWith: String eq: String eqIgnoreCase: String in: [String!]
  neq: String neqIgnoreCase: String nin: [String!] notContains: String startsWith: String startsWithIgnoreCase: String`;
const idTests = `eq: ID in: [ID!] neq: ID nin: [ID!]`;
const numberTests = `eq: Float gt: Float gte: Float in: [Float!] lt: Float lte: Float neq: Float nin: [Float!]`;
const dateTests = `eq: DateTimeOrDuration gt: DateTimeOrDuration gte: DateTimeOrDuration lt: DateTimeOrDuration lte: DateTimeOrDuration neq: DateTimeOrDuration`;
const issueTests = (
  self: string,
): string => `and: [${self}!] or: [${self}!] id: IssueIDComparator number: NumberComparator
  title: StringComparator description: NullableStringComparator priority: NullableNumberComparator state: WorkflowStateFilter team: TeamFilter
  project: NullableProjectFilter assignee: NullableUserFilter creator: NullableUserFilter labels: IssueLabelCollectionFilter parent: NullableIssueFilter
  createdAt: DateComparator updatedAt: DateComparator archivedAt: NullableDateComparator`;
const userTests = (self: string): string =>
  `and: [${self}!] or: [${self}!] id: IDComparator name: StringComparator displayName: StringComparator email: StringComparator isMe: BooleanComparator active: BooleanComparator`;
const labelTests = (self: string): string =>
  `and: [${self}!] or: [${self}!] id: IDComparator name: StringComparator`;

const filters = `
input StringComparator { ${stringTests} }
input NullableStringComparator { ${stringTests} null: Boolean }
input IDComparator { ${idTests} }
input IssueIDComparator { ${idTests} }
input BooleanComparator { eq: Boolean neq: Boolean }
input NumberComparator { ${numberTests} }
input NullableNumberComparator { ${numberTests} null: Boolean }
input DateComparator { ${dateTests} }
input NullableDateComparator { ${dateTests} null: Boolean }
input IssueFilter { ${issueTests("IssueFilter")} }
input NullableIssueFilter { ${issueTests("NullableIssueFilter")} null: Boolean }
input WorkflowStateFilter {
  and: [WorkflowStateFilter!] or: [WorkflowStateFilter!] id: IDComparator name: StringComparator type: StringComparator team: TeamFilter
}
input TeamFilter { and: [TeamFilter!] or: [TeamFilter!] id: IDComparator key: StringComparator name: StringComparator }
input ProjectFilter { and: [ProjectFilter!] or: [ProjectFilter!] id: IDComparator name: StringComparator slugId: StringComparator }
input NullableProjectFilter {
  and: [NullableProjectFilter!] or: [NullableProjectFilter!] null: Boolean id: IDComparator name: StringComparator slugId: StringComparator
}
input UserFilter { ${userTests("UserFilter")} }
input NullableUserFilter { ${userTests("NullableUserFilter")} null: Boolean }
input IssueLabelFilter { ${labelTests("IssueLabelFilter")} }
input IssueLabelCollectionFilter {
  ${labelTests("IssueLabelCollectionFilter")} some: IssueLabelFilter every: IssueLabelFilter length: NumberComparator null: Boolean
}
input CommentFilter {
  and: [CommentFilter!] or: [CommentFilter!] id: IDComparator body: StringComparator issue: NullableIssueFilter user: UserFilter createdAt: DateComparator
}`;

const inputs = `
input IssueCreateInput {
  id: String teamId: String! title: String description: String priority: Int stateId: String assigneeId: String projectId: String
  parentId: String labelIds: [String!]
}
input IssueUpdateInput {
  title: String description: String priority: Int stateId: String assigneeId: String projectId: String parentId: String
  labelIds: [String!] addedLabelIds: [String!] removedLabelIds: [String!] trashed: Boolean
}
input CommentCreateInput { id: String issueId: String body: String parentId: String doNotSubscribeToIssue: Boolean createAsUser: String }
input CommentUpdateInput { body: String doNotSubscribeToIssue: Boolean }
input AttachmentCreateInput {
  id: String issueId: String! title: String! subtitle: String url: String! iconUrl: String metadata: JSONObject commentBody: String
}
input IssueRelationCreateInput { id: String issueId: String! relatedIssueId: String! type: IssueRelationType! }`;

const nodes = [
  "Issue",
  "WorkflowState",
  "IssueLabel",
  "IssueRelation",
  "Comment",
  "Attachment",
  "User",
  "Team",
  "Project",
];

export const boardSdl: string = [
  scalars,
  roots,
  entities,
  ...nodes.map(connection),
  payloads,
  filters,
  inputs,
].join("\n");
