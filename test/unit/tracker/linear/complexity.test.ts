import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import { complexityOf } from "../../../../src/tracker/linear/complexity.ts";
import {
  documents,
  HYDRATE_BATCH_SIZE,
  SCAN_PAGE_SIZE,
  STATUS_BATCH_SIZE,
  SWEEP_PAGE_SIZE,
} from "../../../../src/tracker/linear/documents.ts";
import { MORE_PAGE_SIZE } from "../../../../src/tracker/linear/lists.ts";
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
    [
      "what is asked of the page itself, as often as a node",
      "{ issues(first: 10) { nodes { id } pageInfo { endCursor } } }",
      22,
    ],
    [
      "a page within a page, its own fields too",
      "{ issues(first: 10) { nodes { labels(first: 20) { nodes { name } pageInfo { endCursor } } } } }",
      450,
    ],
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
    expect(points(documents.candidates, { first: SCAN_PAGE_SIZE })).toBeLessThanOrEqual(300);
    expect(points(documents.inStates, { first: 50 })).toBeLessThanOrEqual(300);
  });

  it.each([1, 2, 5])(
    "of several workflows cost %i times 55 more, one for each label that tells them apart",
    (n) => {
      expect(points(documents.sharedCandidates, { first: SCAN_PAGE_SIZE, labelsShown: n })).toBe(
        260 + 55 * n,
      );
    },
  );

  it("cost at most 78 points per hydrated issue", () => {
    expect(points(documents.issues, { first: 1 })).toBeLessThanOrEqual(78);
    expect(points(documents.issues, { first: HYDRATE_BATCH_SIZE })).toBeLessThanOrEqual(
      78 * HYDRATE_BATCH_SIZE,
    );
  });

  it("stay far from the 10,000 that Linear refuses", () => {
    expect(points(documents.statuses, { first: STATUS_BATCH_SIZE })).toBeLessThanOrEqual(1500);
    expect(points(documents.inStates, { first: SWEEP_PAGE_SIZE })).toBeLessThanOrEqual(1500);
    expect(points(documents.moreLabels, { first: MORE_PAGE_SIZE })).toBeLessThanOrEqual(500);
    expect(points(documents.moreRelations, { first: MORE_PAGE_SIZE })).toBeLessThanOrEqual(500);
    for (const text of [documents.viewer, documents.organisation, documents.userByEmail, documents.project])
      expect(points(text)).toBeLessThan(10);
    for (const text of Object.values(linearGraphqlExamples)) expect(points(text)).toBeLessThan(200);
  });
});
