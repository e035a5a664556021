import { expect, test } from "vitest";
import { connection, type PageArguments } from "../../../../src/demo/board/paging.ts";

const row = (id: string, created: number, more: object = {}) => ({
  id,
  createdAt: new Date(created),
  ...more,
});
const rows = [row("a", 1), row("b", 2), row("c", 3), row("gone", 4, { archivedAt: new Date(9) })];
const page = (of: PageArguments) => connection(rows, of, ({ id }) => id);

test("a page is newest first, without what is archived unless it is asked for", () => {
  expect(page({}).nodes).toEqual(["c", "b", "a"]);
  expect(page({ includeArchived: true }).nodes).toEqual(["gone", "c", "b", "a"]);
});

test("by the time of the last change when that is asked for", () => {
  const changed = [row("old", 1, { updatedAt: new Date(9) }), row("new", 2, { updatedAt: new Date(3) })];
  expect(connection(changed, { orderBy: "updatedAt" }, ({ id }) => id).nodes).toEqual(["old", "new"]);
});

test("page after page, every row comes once", () => {
  const first = page({ first: 2 });
  expect(first.nodes).toEqual(["c", "b"]);
  expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false, endCursor: "b" });
  const second = page({ first: 2, after: first.pageInfo.endCursor });
  expect(second.nodes).toEqual(["a"]);
  expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  expect(page({ last: 1, before: "a" }).nodes).toEqual(["b"]);
});

test("a cursor of another list, and a size that Linear would not take, are refused", () => {
  expect(() => page({ after: "nobody" })).toThrow("Invalid cursor");
  expect(() => page({ first: 0 })).toThrow("1 to 250");
  expect(() => page({ first: 251 })).toThrow("1 to 250");
});
