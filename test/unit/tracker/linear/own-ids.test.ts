import { parse } from "graphql";
import { describe, expect, test } from "vitest";
import { inspect } from "../../../../src/tracker/linear/operation.ts";
import { withOwnIds, type Sendable } from "../../../../src/tracker/linear/own-ids.ts";

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function sendable(query: string, variables: Record<string, unknown> = {}, name = "run-1 call-1"): Sendable {
  const operation = inspect(query, variables);
  if ("problem" in operation) throw new Error(operation.problem);
  return withOwnIds({ query, variables }, operation.parsed, name);
}

const literal = `mutation($body: String!) { commentCreate(input: { issueId: "MT-1", body: $body }) { success } }`;
const variable = `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }`;

describe("what is created without an id gets one of ours", () => {
  test("in an input that is written out", () => {
    const { query, variables, newIds } = sendable(literal, { body: "Hi" });
    expect(newIds).toHaveLength(1);
    expect(newIds[0]).toMatch(uuidV4);
    expect(query).toContain(`id: "${newIds[0]}"`);
    expect(query).toContain("body: $body");
    expect(variables).toEqual({ body: "Hi" });
    expect(() => parse(query)).not.toThrow();
  });

  test("in an input that is a variable", () => {
    const given = { input: { issueId: "MT-1", body: "Hi" } };
    const { query, variables, newIds } = sendable(variable, given);
    expect(query).toBe(variable);
    expect(variables).toEqual({ input: { ...given.input, id: newIds[0] } });
    expect(given.input).not.toHaveProperty("id");
  });

  test("each its own, also in a fragment and under another name", () => {
    const { query, newIds } = sendable(
      `mutation { a: commentCreate(input: {body: "x"}) { success } b: commentCreate(input: {body: "x"}) { success } ...F }
      fragment F on Mutation { issueCreate(input: {teamId: "t"}) { success } }`,
    );
    expect(new Set(newIds).size).toBe(3);
    for (const id of newIds) expect(query.split(id)).toHaveLength(2);
  });
});

describe("the ids", () => {
  test("are the same for the same call, and others for any other", () => {
    const [id] = sendable(literal, { body: "Hi" }).newIds;
    expect(sendable(literal, { body: "Hi" }).newIds).toEqual([id]);
    expect(sendable(literal, { body: "Ho" }).newIds).not.toEqual([id]);
    expect(sendable(literal, { body: "Hi" }, "run-1 call-2").newIds).not.toEqual([id]);
    expect(sendable(literal, { body: "Hi" }, "run-2 call-1").newIds).not.toEqual([id]);
  });

  test("that the model chose stay", () => {
    const own = { input: { id: "0b0a4a6e-7c55-4b43-9b8e-0d5a3d7f5c01", body: "Hi" } };
    expect(sendable(variable, own)).toEqual({ query: variable, variables: own, newIds: [] });
    const written = `mutation($id: String) { commentCreate(input: {id: $id, body: "x"}) { success } }`;
    expect(sendable(written, { id: null }).query).toBe(written);
  });
});

test.each([
  ["what creates nothing", `mutation { issueUpdate(id: "MT-1", input: {title: "x"}) { success } }`, {}],
  [
    "a field of the same name deeper down",
    `mutation { x { commentCreate(input: {body: "x"}) { success } } }`,
    {},
  ],
  ["a creation without input", `mutation { commentCreate { success } }`, {}],
  ["an input that is missing", variable, {}],
  ["an input that is no object", variable, { input: ["x"] }],
  [
    "one variable for two",
    `mutation($input: CommentCreateInput!) { a: commentCreate(input: $input) { success } b: commentCreate(input: $input) { success } }`,
    { input: { body: "x" } },
  ],
])("%s is sent as it is", (_, query, variables) => {
  expect(sendable(query, variables)).toEqual({ query, variables, newIds: [] });
});
