import { describe, expect, it } from "vitest";
import { inspect, type Operation } from "../../../../src/tracker/linear/operation.ts";

function operation(text: string, variables = {}): Operation {
  const found = inspect(text, variables);
  if ("problem" in found) throw new Error(found.problem);
  return found;
}

describe("a document", () => {
  it("is called by its operation's name, or by what it is", () => {
    expect(operation("query Q { a }").name).toBe("Q");
    expect(operation("{ a }").name).toBe("query");
    expect(operation("mutation { a }")).toMatchObject({ name: "mutation", isMutation: true });
  });

  it("is about the fields at its root, through fragments, each once", () => {
    const text = "{ a ...F ... on Query { c } a } fragment F on Query { b ...F }";
    expect(operation(text).rootFields).toEqual(["a", "b", "c"]);
  });

  it("is about what is shaped like an id, in its variables and in its strings", () => {
    const uuid = "0b0a4a6e-7c55-4b43-9b8e-0d5a3d7f5c01";
    const variables = { id: uuid, deep: [{ id: "MT-12" }], text: "see MT-13", n: 5 };
    expect(operation('{ issue(id: "eng-7") { id } }', variables).ids).toEqual([uuid, "MT-12", "eng-7"]);
  });

  it("costs what Linear counts for it", () => {
    expect(operation("{ issues(first: 10) { nodes { id } } }").complexity).toBe(11);
  });

  it.each([
    ["two operations", "{ a } { b }", "2 operations"],
    ["none", "fragment F on Q { a }", "no operation"],
    ["a subscription", "subscription { a }", "subscriptions"],
    ["no GraphQL", "{", "cannot be parsed"],
    ["too many characters", " ".repeat(200_001), "longer than 200000"],
    ["too many tokens", `{${" a".repeat(10_001)} }`, "cannot be parsed"],
  ])("with %s is refused in words", (_, text, words) => {
    expect(inspect(text, {})).toEqual({ problem: expect.stringContaining(words) as string });
  });
});
