import { expect, test } from "vitest";
import { BoardStore } from "../../../../src/demo/board/store.ts";
import { Views } from "../../../../src/demo/board/views.ts";

const store = new BoardStore({}, () => new Date(0));
const views = new Views(store, "https://board.example");
const first = store.add({ title: "First of all", labels: ["agent"], priority: 1 });
const second = store.add({ title: "Second", parentId: first.id });
store.relate({ type: "blocks", issueId: first.id, relatedIssueId: second.id });

test("an issue shows its links as Linear does, with a branch named after it", () => {
  const view = views.issue(first);
  expect(view.url).toBe("https://board.example/issue/DEMO-1");
  expect(view.branchName).toMatch(/demo-1-first-of-all$/);
  expect(view.priorityLabel).toBe("Urgent");
  expect(view.createdAt).toBe("1970-01-01T00:00:00.000Z");
  expect(view.labels({}).nodes.map(({ name }) => name)).toEqual(["agent"]);
});

test("relations are seen from both ends", () => {
  const [out] = views.issue(first).relations({}).nodes;
  const [back] = views.issue(second).inverseRelations({}).nodes;
  expect(out?.relatedIssue().identifier).toBe("DEMO-2");
  expect(back?.issue().identifier).toBe("DEMO-1");
  expect(views.issue(second).relations({}).nodes).toEqual([]);
});

test("links that lead nowhere are null", () => {
  expect(views.issue(first).parent()).toBeNull();
  expect(views.issue(first).assignee()).toBeNull();
  expect(views.issue(second).parent()?.identifier).toBe("DEMO-1");
});
