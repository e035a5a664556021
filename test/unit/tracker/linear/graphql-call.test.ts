import { expect, it } from "vitest";
import { callOf } from "../../../../src/tracker/linear/graphql-call.ts";

const create = "mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }";

it("a call may be the bare query, and variables may be absent or null", () => {
  for (const args of ["{ a }", { query: "{ a }" }, { query: "{ a }", variables: null }])
    expect(callOf(args, "call")).toMatchObject({ query: "{ a }", variables: {}, newIds: [] });
});

it.each([
  ["nothing", undefined, "the arguments must be"],
  ["variables that are no object", { query: "{ a }", variables: "b" }, "the arguments must be"],
  ["an empty query", " ", "the query is empty"],
  ["two operations", "query A { a } query B { b }", "holds 2 operations"],
])("%s is no call, in words for the model", (_, args, problem) => {
  expect(callOf(args, "call")).toEqual({ problem: expect.stringContaining(problem) as string });
});

it("what a mutation creates has an id that is the call's own, and a query has none", () => {
  const args = { query: create, variables: { input: { body: "a" } } };
  const [one, again, other] = ["call-1", "call-1", "call-2"].map((name) => callOf(args, name));
  expect(one).toMatchObject({ newIds: [expect.any(String)], operation: { isMutation: true } });
  expect(again).toEqual(one);
  expect(other).not.toMatchObject({ newIds: (one as { newIds: readonly string[] }).newIds });
});
