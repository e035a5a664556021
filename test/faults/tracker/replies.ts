/**
 * What Linear answers when all is well: every kind of request that the adapter makes, in scenarios that use every field
 * of every answer. The suites spoil these.
 */

/** A parsed JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Replies by request: `BatonCandidates`, and after a cursor `BatonCandidates c1`. */
export type Replies = ReadonlyMap<string, Reply>;

export type Call = "candidates" | "inStates" | "statuses" | "issues" | "whoAmI" | "graphql";

export interface Scenario {
  readonly name: string;
  readonly call: Call;
  readonly assignee: string | null;
  readonly ids: readonly string[];
  readonly answers: Readonly<Record<string, Json>>;
}

const last = { hasNextPage: false, endCursor: null };
const more = (endCursor: string) => ({ hasNextPage: true, endCursor });
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const lean = (n: number, state = "Todo") => ({
  id: idOf(n),
  identifier: `MT-${n}`,
  title: `Issue number ${n}`,
  priority: n % 5,
  createdAt: `2026-01-${String(1 + (n % 28)).padStart(2, "0")}T10:00:00.000Z`,
  updatedAt: "2026-02-01T10:00:00.000Z",
  archivedAt: null,
  trashed: null,
  state: { name: state },
  assignee: n % 2 === 0 ? null : { id: "user-ada" },
});

const labelsOf = (count: number, pageInfo: Json = last) => ({
  nodes: Array.from({ length: count }, (_, n) => ({ name: n === 0 ? "Baton" : `Label ${n}` })),
  pageInfo,
});

const status = (n: number, labels: Json = labelsOf(2)) => ({
  ...lean(n),
  project: n % 3 === 0 ? null : { slugId: "demo" },
  labels,
});

const blocking = (n: number, state: string) => ({
  type: "blocks",
  issue: { id: idOf(n), identifier: `MT-${n}`, state: { name: state } },
});

const whole = (n: number, relations: readonly Json[], pageInfo: Json = last) => ({
  ...status(n),
  state: { name: "Todo", id: "state-1" },
  team: { id: "team-1" },
  project: n % 3 === 0 ? null : { slugId: "demo", id: "project-1" },
  description: `What is to be done about ${n}.`,
  branchName: `mt-${n}`,
  url: `https://linear.app/x/issue/MT-${n}`,
  inverseRelations: { nodes: relations, pageInfo },
});

const viewer = { data: { viewer: { id: "user-ada", name: "Ada", email: "ada@example.com" } } };
const page = (nodes: readonly Json[], pageInfo: Json = last) => ({ data: { issues: { nodes, pageInfo } } });

export const scenarios: readonly Scenario[] = [
  {
    name: "a scan of two pages",
    call: "candidates",
    assignee: null,
    ids: [],
    answers: {
      BatonCandidates: page([lean(1), lean(2), lean(3, "In Progress")], more("c1")),
      "BatonCandidates c1": page([lean(4), lean(5)]),
    },
  },
  {
    name: "a scan for issues of mine",
    call: "candidates",
    assignee: "me",
    ids: [],
    answers: { BatonViewer: viewer, BatonCandidates: page([lean(1), lean(2)]) },
  },
  {
    name: "a scan for issues of somebody by address",
    call: "candidates",
    assignee: "ada@example.com",
    ids: [],
    answers: {
      BatonUserByEmail: { data: { users: { nodes: [{ id: "user-ada" }] } } },
      BatonCandidates: page([lean(1)]),
    },
  },
  {
    name: "the sweep",
    call: "inStates",
    assignee: null,
    ids: [],
    answers: { BatonInStates: page([lean(1, "Done"), lean(2, "Canceled")]) },
  },
  {
    name: "a refresh",
    call: "statuses",
    assignee: "me",
    ids: [idOf(1), idOf(2), idOf(3)],
    answers: {
      BatonViewer: viewer,
      BatonStatuses: page([status(1), status(2, labelsOf(20, more("l1"))), status(3)]),
      "BatonMoreLabels l1": { data: { issue: { labels: labelsOf(2, more("l2")) } } },
      "BatonMoreLabels l2": { data: { issue: { labels: labelsOf(1) } } },
    },
  },
  {
    name: "whole issues that block each other in a circle",
    call: "issues",
    assignee: null,
    ids: [idOf(1), idOf(2), idOf(3)],
    answers: {
      BatonIssues: page([
        whole(1, [blocking(2, "Todo"), blocking(1, "Todo")]),
        whole(2, [blocking(1, "Done")], more("r1")),
        whole(3, [{ type: "related", issue: null }]),
      ]),
      "BatonMoreRelations r1": {
        data: { issue: { inverseRelations: { nodes: [blocking(3, "Todo")], pageInfo: last } } },
      },
    },
  },
  { name: "who I am", call: "whoAmI", assignee: null, ids: [], answers: { BatonViewer: viewer } },
  {
    name: "a query of the agent",
    call: "graphql",
    assignee: null,
    ids: [],
    answers: { query: { data: { issue: { id: idOf(1), title: "A title", comments: { nodes: [] } } } } },
  },
];

export const repliesOf = (answers: Readonly<Record<string, Json>>): Map<string, Reply> =>
  new Map(
    Object.entries(answers).map(([name, value]) => [name, { status: 200, body: JSON.stringify(value) }]),
  );

/** What is answered to a cursor that was never given. */
const nothingMore: Reply = {
  status: 200,
  body: JSON.stringify({
    data: {
      issues: { nodes: [], pageInfo: last },
      issue: { labels: labelsOf(0), inverseRelations: { nodes: [], pageInfo: last } },
    },
  }),
};

export const replyTo = (replies: Replies, operation: string, after: string | null): Reply =>
  replies.get(after === null ? operation : `${operation} ${after}`) ?? nothingMore;
