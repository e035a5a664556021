import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import { complexityOf } from "../../../../src/tracker/linear/complexity.ts";
import {
  documents,
  hydrateBatchSize,
  scanPageSize,
  statusBatchSize,
  sweepPageSize,
} from "../../../../src/tracker/linear/documents.ts";
import { linearGraphqlExamples } from "../../../../src/tracker/linear/graphql-tool.ts";

const points = (text: string, variables: Record<string, unknown> = {}): number =>
  complexityOf(parse(text), variables);

describe("the points of a query", () => {
  it.each([
    ["a tenth per property, rounded up", "{ a b c }", 1],
    ["one per object", "{ viewer { id name } }", 2],
    ["exactly ten properties and one object", "{ viewer { a b c d e f g h i j } }", 2],
    ["fifty nodes when nothing is said", "{ issues { nodes { id } } }", 55],
    ["as many nodes as first says", "{ issues(first: 10) { nodes { id } } }", 11],
    ["as many nodes as last says", "{ issues(last: 10) { nodes { id } } }", 11],
    ["the page's own fields once", "{ issues(first: 10) { nodes { id } pageInfo { endCursor } } }", 13],
    ["edges like nodes, with their node", "{ issues(first: 10) { edges { cursor node { id } } } }", 22],
    [
      "connections within connections",
      "{ issues(first: 10) { nodes { labels(first: 20) { nodes { name } } } } }",
      230,
    ],
    ["fragments where they are spread", "{ a { ...F } b { ...F } } fragment F on X { c { d } }", 5],
    ["nodes that come by a fragment", "{ issues(first: 10) { ...F } } fragment F on X { nodes { id } }", 11],
    ["inline fragments", "{ node { ... on Issue { id state { name } } } }", 3],
    ["mutations like queries", "mutation { issueUpdate(id: 1) { success issue { id } } }", 3],
  ])("are %s", (_, text, expected) => {
    expect(points(text)).toBe(expected);
  });

  it("follow variables and their defaults", () => {
    const text = "query($n: Int = 20) { issues(first: $n) { nodes { id } } }";
    expect(points(text)).toBe(22);
    expect(points(text, { n: 100 })).toBe(110);
    expect(points(text, { n: "many" })).toBe(55);
  });

  it("are found in no time for a document that unfolds to billions of fields", () => {
    const fragments = Array.from(
      { length: 60 },
      (_, n) => `fragment F${n} on X { a { ...F${n + 1} } b { ...F${n + 1} } }`,
    );
    const text = `{ ...F0 } ${fragments.join(" ")} fragment F60 on X { id }`;
    expect(points(text)).toBeGreaterThan(2 ** 59);
  });

  it("are finite for a fragment that contains itself", () => {
    expect(points("{ ...F } fragment F on X { a { ...F } }")).toBe(1);
  });
});

describe("our own documents", () => {
  it("cost at most 300 points per scan page of 50", () => {
    expect(points(documents.candidates, { first: scanPageSize })).toBeLessThanOrEqual(300);
    expect(points(documents.inStates, { first: 50 })).toBeLessThanOrEqual(300);
  });

  it("cost at most 110 points per hydrated issue", () => {
    expect(points(documents.issues, { first: 1 })).toBeLessThanOrEqual(110);
    expect(points(documents.issues, { first: hydrateBatchSize })).toBeLessThanOrEqual(110 * hydrateBatchSize);
  });

  it("stay far from the 10,000 that Linear refuses", () => {
    expect(points(documents.statuses, { first: statusBatchSize })).toBeLessThanOrEqual(1500);
    expect(points(documents.inStates, { first: sweepPageSize })).toBeLessThanOrEqual(1500);
    for (const text of Object.values(documents)) expect(points(text, { first: 100 })).toBeLessThan(10_000);
    for (const text of Object.values(linearGraphqlExamples)) expect(points(text)).toBeLessThan(200);
  });
});
