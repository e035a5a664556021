import { describe, expect, it } from "vitest";
import { allLabels, allRelations, MORE_PAGE_SIZE } from "../../../../src/tracker/linear/lists.ts";
import { shapes } from "../../../../src/tracker/linear/shapes.ts";
import { Line, never, record } from "./line.ts";

const last = { hasNextPage: false };
const status = (labels: object) => shapes().status.parse({ ...record(1), labels });
const labels = (names: readonly string[], pageInfo: object = last) => ({
  nodes: names.map((name) => ({ name })),
  pageInfo,
});

describe("labels", () => {
  it("that came with the issue are not asked for again", async () => {
    const line = new Line([]);
    expect(await allLabels(line.client, status(labels(["a", "b"])), never)).toEqual([
      { name: "a" },
      { name: "b" },
    ]);
    expect(line.asked).toEqual([]);
  });

  it("of which there are more are read to the end, in their order", async () => {
    const line = new Line([
      { issue: { labels: labels(["b"], { hasNextPage: true, endCursor: "c2" }) } },
      { issue: { labels: labels(["c"]) } },
    ]);
    const first = status(labels(["a"], { hasNextPage: true, endCursor: "c1" }));
    expect((await allLabels(line.client, first, never)).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(line.asked.map(({ variables }) => variables["after"])).toEqual(["c1", "c2"]);
  });

  it("can be read from the first on, when none was read in full", async () => {
    const line = new Line([{ issue: { labels: labels(["a", "b"]) } }]);
    expect(await allLabels(line.client, { id: "id-1", identifier: "MT-1" }, never)).toHaveLength(2);
    expect(line.asked[0]?.variables).toEqual({ id: "id-1", first: MORE_PAGE_SIZE });
  });

  it("that cannot be read to their end fail by the name of the issue", async () => {
    const line = new Line([{ issue: { labels: labels([], { hasNextPage: true, endCursor: null }) } }]);
    const first = status(labels(["a"], { hasNextPage: true, endCursor: "c1" }));
    await expect(allLabels(line.client, first, never)).rejects.toMatchObject({
      kind: "tracker_pagination",
      message: expect.stringContaining("the labels of MT-1") as string,
    });
  });
});

describe("relations", () => {
  it("are read to the end in the same way", async () => {
    const relation = { type: "blocks", issue: null };
    const line = new Line([{ issue: { inverseRelations: { nodes: [relation], pageInfo: last } } }]);
    const inverseRelations = { nodes: [relation], pageInfo: { hasNextPage: true, endCursor: "r1" } };
    const issue = shapes().issue.parse({ ...record(1), inverseRelations });
    expect(await allRelations(line.client, issue, never)).toHaveLength(2);
    expect(line.asked[0]?.variables).toMatchObject({ id: "id-1", after: "r1" });
  });
});
