import { parse } from "graphql";
import { expect, test } from "vitest";
import { complexityOf } from "../../../../src/tracker/linear/complexity.ts";
import { documents, LABELS_MAX, STATES_MAX, TEAMS_MAX } from "../../../../src/tracker/linear/documents.ts";
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

test("the names of a board cost what their document costs, on the account of what people want to know", () => {
  const variables = { teams: TEAMS_MAX, states: STATES_MAX, labels: LABELS_MAX };
  expect(costOf(documents.vocabulary, variables)).toEqual({
    use: "survey",
    points: complexityOf(parse(documents.vocabulary), variables),
  });
  expect(costOf(documents.openIssues, { first: 250 })).toEqual({ use: "survey", points: 575 });
});

test("what is not paged costs little, and is on the account of looks", () => {
  expect(costOf(documents.viewer, {})).toEqual({ use: "hydration", points: 10 });
  expect(complexityOf(parse(documents.viewer))).toBeLessThanOrEqual(10);
});
