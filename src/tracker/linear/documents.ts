/**
 * Every GraphQL document that this program itself sends to Linear. Strings, parsed only by the server: the contract test
 * checks them against Linear's schema and holds each to its complexity ceiling. What an issue costs per poll is decided
 * here, so a field that nothing reads must not be asked for.
 */

/** Issues in one page of a scan (SPEC 11.2). */
export const SCAN_PAGE_SIZE = 50;

/** Issues in one page of the terminal sweep: the most Linear gives, since a board may have thousands of finished ones. */
export const SWEEP_PAGE_SIZE = 250;

/** Ids in one status refresh: 1,465 points of the 10,000 that one query may cost. */
export const STATUS_BATCH_SIZE = 50;

/** Ids in one hydration: about 1,950 points, which leaves room for Linear counting differently than we do. */
export const HYDRATE_BATCH_SIZE = 25;

/** Labels, and relations, that come with an issue; nearly every issue has fewer. They are most of what it costs to read one. */
export const PART_PAGE_SIZE = 10;

const lean = `
fragment Lean on Issue {
  id identifier title priority createdAt updatedAt archivedAt trashed
  state { name }
  assignee { id }
}`;

const labels = `labels(first: ${PART_PAGE_SIZE}) { nodes { name } pageInfo { hasNextPage endCursor } }`;
// A ticket can be moved away: only a list of the project's own issues knows where they are.
const project = "project { slugId }";
const relationFields = `nodes { type issue { id identifier state { name } } } pageInfo { hasNextPage endCursor }`;

/*
 * The project by what its slug may be (project.ts). Ordered by creation, which never changes: with `updatedAt` an issue that is edited while the pages are being read moves
 * to another page, and is then seen twice or not at all. States are compared without case (SPEC 4.2), which `in` cannot.
 */
const candidates = `
query BatonCandidates($projectSlugs: [String!], $states: [WorkflowStateFilter!], $labels: [IssueFilter!],
    $assignee: NullableUserFilter, $first: Int!, $after: String) {
  issues(
    filter: { project: { slugId: { in: $projectSlugs } }, state: { or: $states }, and: $labels, assignee: $assignee }
    first: $first, after: $after, orderBy: createdAt
  ) { nodes { ...Lean } pageInfo { hasNextPage endCursor } }
}${lean}`;

// For several workflows at once: an issue shows only those labels that tell whose it is, each for 55 points a page.
const sharedCandidates = `
query BatonSharedCandidates($projectSlugs: [String!], $scopes: [IssueFilter!], $labels: IssueLabelFilter,
    $labelsShown: Int!, $first: Int!, $after: String) {
  issues(
    filter: { project: { slugId: { in: $projectSlugs } }, or: $scopes }
    first: $first, after: $after, orderBy: createdAt
  ) {
    nodes { ...Lean labels(first: $labelsShown, filter: $labels) { nodes { name } } }
    pageInfo { hasNextPage endCursor }
  }
}${lean}`;

// Archived issues are asked for, so that an absent id has one meaning: the issue is no longer visible (SPEC 11.1).
const statuses = `
query BatonStatuses($ids: [ID!], $first: Int!, $after: String) {
  issues(filter: { id: { in: $ids } }, first: $first, after: $after, includeArchived: true, orderBy: createdAt) {
    nodes { ...Lean ${project} ${labels} }
    pageInfo { hasNextPage endCursor }
  }
}${lean}`;

const issues = `
query BatonIssues($ids: [ID!], $first: Int!, $after: String) {
  issues(filter: { id: { in: $ids } }, first: $first, after: $after, includeArchived: true, orderBy: createdAt) {
    nodes { ...Lean state { id } team { id } project { id slugId } description branchName url ${labels} inverseRelations(first: ${PART_PAGE_SIZE}) { ${relationFields} } }
    pageInfo { hasNextPage endCursor }
  }
}${lean}`;

// The rare issue with more than 10 labels or relations: without the rest, a label or a blocker would be missed.
const moreLabels = `
query BatonMoreLabels($id: String!, $first: Int!, $after: String) {
  issue(id: $id) { labels(first: $first, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } } }
}`;

const moreRelations = `
query BatonMoreRelations($id: String!, $first: Int!, $after: String) {
  issue(id: $id) { inverseRelations(first: $first, after: $after) { ${relationFields} } }
}`;

const viewer = `query BatonViewer { viewer { id name email } }`;

const organisation = `query BatonOrganisation { organization { id } }`;

const userByEmail = `
query BatonUserByEmail($email: String!) {
  users(filter: { email: { eqIgnoreCase: $email } }, first: 1, includeDisabled: true) { nodes { id } }
}`;

// A wrong slug is no error to Linear: it finds nothing in it, for ever.
const projectBySlug = `
query BatonProject($slugs: [String!]) {
  projects(filter: { slugId: { in: $slugs } }, first: 1) { nodes { name } }
}`;

const inStates = `
query BatonInStates($projectSlugs: [String!], $states: [WorkflowStateFilter!], $first: Int!, $after: String) {
  issues(
    filter: { project: { slugId: { in: $projectSlugs } }, state: { or: $states } }
    first: $first, after: $after, orderBy: createdAt
  ) { nodes { ...Lean } pageInfo { hasNextPage endCursor } }
}${lean}`;

// By its identifier, which the filter by id does not take: the team's key and a number.
const issueByNumber = `
query BatonIssueByNumber($team: String!, $number: Float!, $first: Int!) {
  issues(
    filter: { team: { key: { eqIgnoreCase: $team } }, number: { eq: $number } }
    first: $first, includeArchived: true, orderBy: createdAt
  ) { nodes { id } }
}`;

// A connection has no total (SPEC 11.2): what is open is counted by ids, whatever the labels.
const openIssues = `
query BatonOpenIssues($projectSlugs: [String!], $states: [WorkflowStateFilter!], $first: Int!, $after: String) {
  issues(
    filter: { project: { slugId: { in: $projectSlugs } }, state: { or: $states } }
    first: $first, after: $after, orderBy: createdAt
  ) { nodes { id } pageInfo { hasNextPage endCursor } }
}`;

/** Enough for any project; who has more is not told that a name is wrong. */
export const TEAMS_MAX = 20;
export const STATES_MAX = 50;
export const LABELS_MAX = 250;

const vocabulary = `
query BatonVocabulary($projectSlugs: [String!], $teams: Int!, $states: Int!, $labels: Int!, $named: IssueLabelFilter) {
  projects(filter: { slugId: { in: $projectSlugs } }, first: 1) {
    nodes {
      name
      teams(first: $teams) { nodes { key states(first: $states) { nodes { name } } } pageInfo { hasNextPage endCursor } }
    }
  }
  issueLabels(first: $labels) { nodes { name } pageInfo { hasNextPage endCursor } }
  named: issueLabels(filter: $named, first: $labels) { nodes { name } }
}`;

export const documents = {
  candidates,
  sharedCandidates,
  statuses,
  issues,
  inStates,
  moreLabels,
  moreRelations,
  viewer,
  organisation,
  userByEmail,
  project: projectBySlug,
  issueByNumber,
  openIssues,
  vocabulary,
} as const;
