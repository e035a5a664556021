import { buildSchema, isInputObjectType, isNonNullType } from "graphql";
import { describe, expect, it } from "vitest";
import {
  boardSchema,
  documentProblems,
  linearSchema,
  schemaProblems,
  sentDocuments,
} from "../../scripts/check-linear-schema.ts";
import { creatingFields } from "../../src/tracker/linear/own-ids.ts";

const whole = linearSchema();

describe("what is sent to Linear", () => {
  it("is valid on the board's part of the schema", () => {
    expect(Object.keys(sentDocuments)).toHaveLength(17);
    expect(documentProblems(boardSchema(), sentDocuments)).toEqual([]);
  });

  // Linear's schema is not ours to ship: without it, the check above and the board's own answers have to do.
  it.runIf(whole !== null)("is valid on Linear's whole schema, of which the board's is a true part", () => {
    if (whole === null) return;
    expect(schemaProblems(boardSchema(), whole)).toEqual([]);
    expect(documentProblems(whole, sentDocuments)).toEqual([]);
  });
});

it.runIf(whole !== null)("what we choose ids for takes an id at Linear", () => {
  const mutations = whole?.getMutationType()?.getFields() ?? {};
  for (const name of creatingFields) {
    const input = mutations[name]?.args.find((arg) => arg.name === "input")?.type;
    const type = isNonNullType(input) ? input.ofType : input;
    expect(isInputObjectType(type) ? String(type.getFields()["id"]?.type) : name).toBe("String");
  }
});

describe("the check itself", () => {
  const linear = buildSchema(`
    type Query { issue(id: String!): Issue! }
    type Issue { id: ID! title: String! }
    input Filter { id: ID! name: String }
    enum Kind { a b }
    type Keep { f(x: Filter, k: Kind): Int }`);
  const problems = (sdl: string): readonly string[] => schemaProblems(buildSchema(sdl), linear);

  it("accepts a part of the whole", () => {
    expect(problems("type Query { issue(id: String!): Issue! } type Issue { id: ID! }")).toEqual([]);
  });

  it.each([
    [
      "a type that is not there",
      "type Query { a: Other } type Other { b: Int }",
      "Other: Linear has no such type",
    ],
    ["a field that is not there", "type Query { issues: Int }", "Query.issues: Linear has no such field"],
    [
      "another nullability",
      "type Query { issue(id: String!): Issue } type Issue { id: ID! }",
      "Query.issue: is Issue, at Linear Issue!",
    ],
    [
      "another argument type",
      "type Query { issue(id: ID!): Issue! } type Issue { id: ID! }",
      "Query.issue(id): is ID!, at Linear String!",
    ],
    [
      "a required argument left out",
      "type Query { issue: Issue! } type Issue { id: ID! }",
      "Query.issue(id): Linear requires it",
    ],
    [
      "a required input left out",
      "type Keep { f(x: Filter): Int } input Filter { name: String }",
      "Filter(id): Linear requires it",
    ],
    [
      "an enum value that is not there",
      "type Keep { f(k: Kind): Int } enum Kind { c }",
      "Kind.c: not in Linear's enum",
    ],
    [
      "another kind of type",
      "type Keep { f(k: Kind): Int } input Kind { c: Int }",
      "Kind: Linear has another kind of type",
    ],
  ])("finds %s", (_, sdl, problem) => {
    expect(problems(sdl)).toContain(problem);
  });

  it("finds a document that asks for what is not there", () => {
    expect(documentProblems(linear, { wrong: "{ issue(id: 1) { nothing } }" })).toHaveLength(2);
  });
});
