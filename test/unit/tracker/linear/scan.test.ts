import { describe, expect, it } from "vitest";
import { scan } from "../../../../src/tracker/linear/scan.ts";
import { shapes } from "../../../../src/tracker/linear/shapes.ts";
import { Line, never, page, record } from "./line.ts";

const source = {
  what: "the scan",
  document: "query Q { issues }",
  variables: { a: 1 },
  shape: () => shapes().lean,
  first: 2,
};
const scanned = (line: Line, lists = 1) =>
  scan(line.client, { ...source, lists }, ({ id, title }) => ({ id, title }), never);

describe("a scan", () => {
  it("is every page, each issue once and as first seen", async () => {
    const line = new Line([
      page([record(1), record(2)], "c"),
      page([{ ...record(2), title: "Edited" }, record(3)]),
    ]);
    expect((await scanned(line)).issues.map(({ title }) => title)).toEqual(["Issue 1", "Issue 2", "Issue 3"]);
    expect(line.asked.map(({ variables }) => variables)).toEqual([
      { a: 1, first: 2 },
      { a: 1, first: 2, after: "c" },
    ]);
  });

  it("leaves out what cannot be read and names the first ten of it", async () => {
    const { issues, rejected } = await scanned(
      new Line([page([record(1), ...Array.from({ length: 15 }, () => ({}))])]),
    );
    expect(issues).toHaveLength(1);
    expect(rejected).toHaveLength(11);
    expect(rejected[10]).toContain("5 more issues");
  });

  it("that stands for several lists may have as many pages as all of them", async () => {
    const pages = (count: number) =>
      Array.from({ length: count }, (_, n) => page([], n < count - 1 ? `c${n}` : null));
    expect((await scanned(new Line(pages(201)), 2)).issues).toEqual([]);
    await expect(scanned(new Line(pages(201)))).rejects.toMatchObject({ kind: "tracker_pagination" });
  });
});
