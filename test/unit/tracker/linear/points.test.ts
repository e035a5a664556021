import { parse } from "graphql";
import { expect, test } from "vitest";
import { complexityOf } from "../../../../src/tracker/linear/complexity.ts";
import { documents } from "../../../../src/tracker/linear/documents.ts";
import { costOf, POINTS_PER_NODE } from "../../../../src/tracker/linear/points.ts";

const paged = Object.keys(POINTS_PER_NODE) as (keyof typeof POINTS_PER_NODE)[];

test.each(paged)("the points of %s are those that its document has, pageInfo as often as a node", (name) => {
  for (const first of [1, 10, 50]) {
    const variables = { first, ...(name === "sharedCandidates" ? { labelsShown: 3 } : {}) };
    const { points } = costOf(documents[name], variables);
    // An issue that is asked for by itself is one object more.
    const whole = complexityOf(parse(documents[name]), variables);
    expect(whole - points).toBeLessThanOrEqual(name.startsWith("more") ? 1 : 0);
    expect(points).toBeLessThanOrEqual(whole);
  }
});

test("what is not paged costs little, and is on the account of looks", () => {
  expect(costOf(documents.viewer, {})).toEqual({ use: "hydration", points: 10 });
  expect(complexityOf(parse(documents.viewer))).toBeLessThanOrEqual(10);
});
