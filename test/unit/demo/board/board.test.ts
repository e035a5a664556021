import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startBoard, type Board } from "../../../../src/demo/board/board.ts";
import type { BoardChange } from "../../../../src/demo/board/entities.ts";
import { linearGraphqlExamples } from "../../../../src/tracker/linear/graphql-tool.ts";

/** Its budgets fill up again with time. */
const now = new Date();

let board: Board;
beforeEach(async () => {
  board = await startBoard({ budget: { requests: 50, complexity: 100_000 }, now: () => now });
});
afterEach(() => board.close());

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

async function post(body: unknown, authorization = board.apiKey): Promise<Response> {
  const headers = { authorization, "content-type": "application/json" };
  return fetch(board.url, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const ask = async (query: string, variables: object = {}): Promise<Answer> =>
  (await (await post({ query, variables })).json()) as Answer;

describe("an agent's usual day", () => {
  it("reads the ticket, comments, moves it, as the tool's description shows", async () => {
    const { id, identifier } = board.store.add({ title: "Fix it", description: "Please" });
    const changes: BoardChange[] = [];
    board.store.subscribe((change) => changes.push(change));

    const read = await ask(linearGraphqlExamples.read, { id: identifier });
    expect(read.data).toMatchObject({ issue: { id, title: "Fix it", state: { name: "Todo" } } });

    const comment = await ask(linearGraphqlExamples.comment, { issueId: id, body: "On it" });
    expect(comment.data).toMatchObject({ commentCreate: { success: true } });

    const stateId = board.store.state("In Progress").id;
    const moved = await ask(linearGraphqlExamples.move, { id: identifier, stateId });
    expect(moved.data).toMatchObject({ issueUpdate: { issue: { state: { name: "In Progress" } } } });

    expect(changes.map((change) => change.type)).toEqual(["comment_added", "issue_changed", "issue_changed"]);
    expect(board.store.issue(identifier)).toMatchObject({
      startedAt: expect.any(Date) as Date,
      completedAt: null,
    });
  });

  it("keeps a workpad comment, links a pull request, adds and removes labels", async () => {
    const { id } = board.store.add({ title: "T", labels: ["baton", "old"] });
    const workpad = board.store.comment({ issueId: id, body: "Plan" });
    const fresh = board.store.labelNamed("fresh").id;
    const old = board.store.labelNamed("old").id;
    const answer = await ask(
      `mutation($id: String!, $comment: String!, $added: [String!], $removed: [String!]) {
        commentUpdate(id: $comment, input: { body: "Plan, done" }) { comment { body editedAt } }
        attachmentLinkURL(issueId: $id, url: "https://example.com/pr/1", title: "PR") { attachment { title issue { id } } }
        issueUpdate(id: $id, input: { addedLabelIds: $added, removedLabelIds: $removed, description: null }) {
          issue { description labels { nodes { name } } attachments { nodes { url } } comments { nodes { body } } }
        }
      }`,
      { id, comment: workpad.id, added: [fresh], removed: [old] },
    );
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({
      commentUpdate: { comment: { body: "Plan, done", editedAt: expect.any(String) as string } },
      attachmentLinkURL: { attachment: { title: "PR", issue: { id } } },
      issueUpdate: {
        issue: {
          description: null,
          labels: { nodes: [{ name: "baton" }, { name: "fresh" }] },
          attachments: { nodes: [{ url: "https://example.com/pr/1" }] },
          comments: { nodes: [{ body: "Plan, done" }] },
        },
      },
    });
  });

  it("makes a follow-up ticket and a relation to it", async () => {
    const { id } = board.store.add({ title: "First" });
    const made = await ask(
      `mutation($team: String!, $project: String!) {
        issueCreate(input: { teamId: $team, projectId: $project, title: "Second", priority: 3 }) { issue { id identifier state { name } } }
      }`,
      { team: board.store.team.id, project: board.store.projects[0]?.id },
    );
    expect(made.data).toMatchObject({
      issueCreate: { issue: { identifier: "DEMO-2", state: { name: "Backlog" } } },
    });
    await ask(
      'mutation($a: String!) { issueRelationCreate(input: { issueId: $a, relatedIssueId: "DEMO-2", type: blocks }) { success } }',
      { a: id },
    );
    const read = await ask(
      '{ issue(id: "DEMO-2") { inverseRelations { nodes { type issue { identifier } relatedIssue { identifier } } } } }',
    );
    const relation = {
      type: "blocks",
      issue: { identifier: "DEMO-1" },
      relatedIssue: { identifier: "DEMO-2" },
    };
    expect(read.data).toEqual({ issue: { inverseRelations: { nodes: [relation] } } });
  });

  it("changes nothing when a part of the change names what is not there", async () => {
    const { id } = board.store.add({ title: "T" });
    const answer = await ask(
      'mutation($id: String!, $state: String!) { issueUpdate(id: $id, input: { title: "New", stateId: $state, addedLabelIds: ["nope"] }) { success } }',
      { id, state: board.store.state("Done").id },
    );
    expect(answer.errors?.[0]).toMatchObject({
      message: "Entity not found: IssueLabel",
      extensions: { code: "INPUT_ERROR" },
    });
    expect(board.store.issue(id)).toMatchObject({ title: "T", stateId: board.store.state("Todo").id });
  });
});

describe("lists", () => {
  interface Issues {
    readonly nodes: readonly { readonly identifier: string }[];
    readonly pageInfo: {
      readonly endCursor: string;
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
    };
  }
  const issues = async (list: string): Promise<Issues> => {
    const page = "nodes { identifier } pageInfo { endCursor hasNextPage hasPreviousPage }";
    const { data, errors } = await ask(`{ issues(orderBy: createdAt, ${list}) { ${page} } }`);
    if (errors !== undefined || !data) throw new Error(errors?.[0]?.message);
    return data["issues"] as Issues;
  };
  const identifiers = async (list: string): Promise<readonly string[]> => {
    return (await issues(list)).nodes.map((node) => node.identifier);
  };

  it("are newest first, 50 at a time, without the archived", async () => {
    for (let n = 0; n < 60; n++) board.store.add({ title: `T${n}` });
    board.store.archive("DEMO-60");
    const found = await identifiers("");
    expect(found).toHaveLength(50);
    expect(found[0]).toBe("DEMO-59");
    expect(await identifiers("first: 1, includeArchived: true")).toEqual(["DEMO-60"]);
  });

  it("go on after a cursor, forwards and backwards", async () => {
    for (let n = 0; n < 5; n++) board.store.add({ title: `T${n}` });
    const { pageInfo } = await issues("first: 2");
    expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(await identifiers(`first: 2, after: "${pageInfo.endCursor}"`)).toEqual(["DEMO-3", "DEMO-2"]);
    expect(await identifiers(`last: 2, before: "${pageInfo.endCursor}"`)).toEqual(["DEMO-5"]);
  });

  it.each([
    ['filter: { state: { type: { eq: "completed" } } }', ["DEMO-2"]],
    ['filter: { or: [{ title: { contains: "alp" } }, { priority: { lte: 1 } }] }', ["DEMO-2", "DEMO-1"]],
    ['filter: { labels: { name: { eq: "x" } } }', ["DEMO-1"]],
    ['filter: { labels: { every: { name: { in: ["x"] } } } }', ["DEMO-2", "DEMO-1"]],
    ["filter: { assignee: { null: true } }", ["DEMO-2", "DEMO-1"]],
    ["filter: { assignee: { isMe: { eq: true } } }", ["DEMO-3"]],
    ["filter: { project: { null: true } }", ["DEMO-3"]],
    ["filter: { number: { gt: 1, lt: 3 } }", ["DEMO-2"]],
    ["filter: { description: { null: false } }", ["DEMO-3"]],
    [
      'filter: { and: [{ team: { key: { eq: "DEMO" } } }, { title: { startsWithIgnoreCase: "G" } }] }',
      ["DEMO-3"],
    ],
  ])("follow Linear's filters: %s", async (filter, expected) => {
    board.store.add({ title: "alpha", labels: ["x"], priority: 2 });
    board.store.add({ title: "beta", state: "Done", priority: 1 });
    const { id } = board.store.viewer;
    board.store.add({
      title: "gamma",
      labels: ["y"],
      priority: 4,
      assigneeId: id,
      project: null,
      description: "d",
    });
    expect(await identifiers(filter)).toEqual(expected);
  });

  it("of more than 250, or from no known cursor, are refused", async () => {
    await expect(identifiers("first: 251")).rejects.toThrow("first must be 1 to 250");
    await expect(identifiers('after: "nowhere"')).rejects.toThrow("Invalid cursor");
  });
});

describe("what Linear would refuse, the board refuses", () => {
  it.each([
    ["another key", { query: "{ viewer { id } }" }, "wrong", 401, "AUTHENTICATION_ERROR"],
    [
      "a field that is not there",
      { query: "{ viewer { nothing } }" },
      undefined,
      400,
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["what is not GraphQL", { query: "nonsense(" }, undefined, 400, "GRAPHQL_VALIDATION_FAILED"],
    ["no query", {}, undefined, 400, undefined],
    ["what is not JSON", "{", undefined, 400, undefined],
    [
      "a query of over 10,000 points",
      { query: "{ issues(first: 250) { nodes { labels { nodes { id } } } } }" },
      undefined,
      400,
      undefined,
    ],
    [
      "a missing variable",
      { query: "query($id: String!) { issue(id: $id) { id } }" },
      undefined,
      400,
      undefined,
    ],
  ])("%s", async (_, body, key, status, code) => {
    const response = await post(body, key);
    expect(response.status).toBe(status);
    const answer = (await response.json()) as Answer;
    expect(answer.errors?.length).toBeGreaterThan(0);
    if (code !== undefined) expect(answer.errors?.[0]?.extensions?.code).toBe(code);
  });

  it("more requests than the budget of the hour", async () => {
    for (let n = 0; n < 50; n++) await (await post({ query: "{ viewer { id } }" })).text();
    const response = await post({ query: "{ viewer { id } }" });
    expect(response.status).toBe(400);
    expect(response.headers.get("x-ratelimit-requests-remaining")).toBe("0");
    expect(Number(response.headers.get("x-ratelimit-requests-reset"))).toBeGreaterThan(now.getTime());
    expect(((await response.json()) as Answer).errors?.[0]?.extensions?.code).toBe("RATELIMITED");
  });
});

describe("ordered faults", () => {
  it("hit the next requests, and only those", async () => {
    board.fail(1, { type: "answer", status: 502, body: "<html>", headers: { "retry-after": "1" } });
    board.fail(1, { type: "cut" });
    const first = await post({ query: "{ viewer { id } }" });
    expect([first.status, await first.text(), first.headers.get("retry-after")]).toEqual([
      502,
      "<html>",
      "1",
    ]);
    await expect(post({ query: "{ viewer { id } }" })).rejects.toThrow("fetch failed");
    expect((await ask("{ viewer { name } }")).data).toEqual({ viewer: { name: "Ada Byron" } });
    expect(board.requests()).toBe(3);
  });
});

it("tells what a query cost", async () => {
  const response = await post({ query: "{ issues(first: 10) { nodes { id } } }" });
  expect(response.headers.get("x-complexity")).toBe("11");
  expect(response.headers.get("x-ratelimit-complexity-remaining")).toBe(String(100_000 - 11));
});
