import { expect, test } from "vitest";
import { type Filter, Filters } from "../../../../src/demo/board/filter.ts";
import { BoardStore } from "../../../../src/demo/board/store.ts";

const store = new BoardStore({}, () => new Date(0));
const urgent = store.add({ title: "Urgent", priority: 1, labels: ["agent"], assigneeId: store.viewer.id });
const quiet = store.add({ title: "Quiet", description: "Some Text", state: "Done" });
const filters = new Filters(store);

const passing = (filter: Filter): readonly string[] =>
  [urgent, quiet].filter((issue) => filters.issue(filter, issue)).map(({ title }) => title);

test.each<[Filter, readonly string[]]>([
  [{}, ["Urgent", "Quiet"]],
  [{ priority: { eq: 1 } }, ["Urgent"]],
  [{ priority: { lt: 1 } }, ["Quiet"]],
  [{ title: { in: ["Quiet", "Other"] } }, ["Quiet"]],
  [{ title: { eqIgnoreCase: "QUIET" } }, ["Quiet"]],
  [{ description: { null: true } }, ["Urgent"]],
  [{ description: { containsIgnoreCase: "some" } }, ["Quiet"]],
  [{ state: { type: { eq: "completed" } } }, ["Quiet"]],
  [{ assignee: { isMe: { eq: true } } }, ["Urgent"]],
  [{ assignee: { null: true } }, ["Quiet"]],
  [{ labels: { some: { name: { eq: "agent" } } } }, ["Urgent"]],
  [{ labels: { every: { name: { eq: "agent" } } } }, ["Urgent", "Quiet"]],
  [{ or: [{ priority: { eq: 1 } }, { title: { eq: "Quiet" } }] }, ["Urgent", "Quiet"]],
  [{ and: [{ priority: { eq: 1 } }, { title: { eq: "Quiet" } }] }, []],
])("%j lets through what Linear would", (filter, titles) => {
  expect(passing(filter)).toEqual(titles);
});

test("a comparison that the board does not know lets nothing through", () => {
  expect(passing({ priority: { near: 1 } })).toEqual([]);
  expect(passing({ mood: { eq: "good" } })).toEqual([]);
});
