import { expect, test } from "vitest";
import { BoardStore, need } from "../../../../src/demo/board/store.ts";

let ms = 0;
const opened = (): BoardStore => new BoardStore({}, () => new Date(++ms));

test("issues are numbered as they are added, and found by id and by identifier, however it is spelt", () => {
  const store = opened();
  const [one, two] = [store.add({ title: "One" }), store.add({ title: "Two" })];
  expect([one.identifier, two.identifier]).toEqual(["DEMO-1", "DEMO-2"]);
  expect(store.issue("demo-2").id).toBe(two.id);
  expect(store.issue(one.id).title).toBe("One");
  expect(() => store.issue("DEMO-3")).toThrow("Entity not found: Issue");
});

test("a move sets the times that go with a state, and keeps when work first began", () => {
  const store = opened();
  const { id } = store.add({ title: "T" });
  const begun = store.move(id, "In Progress").startedAt;
  expect(begun).not.toBeNull();
  expect(store.move(id, "Done").completedAt).not.toBeNull();
  const again = store.move(id, "Rework");
  expect(again.completedAt).toBeNull();
  expect(again.startedAt).toEqual(begun);
});

test("every edit is told to who follows the board, until they have heard enough", () => {
  const store = opened();
  const heard: string[] = [];
  const end = store.subscribe(({ type }) => heard.push(type));
  const { id } = store.add({ title: "T" });
  store.comment({ issueId: id, body: "Hello" });
  store.label(id, "new");
  end();
  store.remove(id);
  expect(heard).toEqual(["issue_added", "comment_added", "issue_changed"]);
});

test("a label is one, however it is spelt, and a link to the same address is attached once", () => {
  const store = opened();
  const { id } = store.add({ title: "T", labels: ["Agent"] });
  store.label(id, "agent");
  expect(store.issue(id).labelIds).toHaveLength(1);
  const link = { issueId: id, title: "PR", subtitle: null, url: "https://example.org/1", metadata: {} };
  store.attach(link);
  store.attach({ ...link, title: "PR, merged" });
  expect([...store.attachments.values()].map(({ title }) => title)).toEqual(["PR, merged"]);
});

test("what is removed takes its relations along", () => {
  const store = opened();
  const [a, b] = [store.add({ title: "A" }), store.add({ title: "B" })];
  store.relate({ type: "blocks", issueId: a.id, relatedIssueId: b.id });
  store.remove(b.id);
  expect(store.relations.size).toBe(0);
});

test("what is not there is said in Linear's words", () => {
  expect(() => need(undefined, "Comment")).toThrow("Entity not found: Comment");
  expect(need(0, "Number")).toBe(0);
});
