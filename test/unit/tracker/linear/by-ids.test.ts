import { describe, expect, it } from "vitest";
import { issueId } from "../../../../src/domain/issue.ts";
import { byIds } from "../../../../src/tracker/linear/by-ids.ts";
import { shapes } from "../../../../src/tracker/linear/shapes.ts";
import { Line, never, page, record } from "./line.ts";

const source = {
  what: "the records",
  document: "query Q { issues }",
  shape: () => shapes().status,
  batchSize: 2,
};
const ids = (...numbers: readonly number[]) => numbers.map((n) => issueId(`id-${n}`));
const namesOf = (line: Line, ...numbers: readonly number[]) =>
  byIds(line.client, source, ids(...numbers), never).then((found) =>
    found.map(({ identifier }) => identifier),
  );

describe("records by id", () => {
  it("are asked for in batches, each id once", async () => {
    const line = new Line([page([record(1), record(2)]), page([record(3)])]);
    expect(await namesOf(line, 1, 2, 1, 3, 2)).toEqual(["MT-1", "MT-2", "MT-3"]);
    expect(line.asked.map(({ variables }) => variables)).toEqual([
      { ids: ids(1, 2), first: 2 },
      { ids: ids(3), first: 1 },
    ]);
  });

  it("that nobody asked for are left out, and so are those that are not there", async () => {
    expect(await namesOf(new Line([page([record(9), record(2)])]), 1, 2)).toEqual(["MT-2"]);
  });

  it("are followed over pages", async () => {
    const line = new Line([page([record(1)], "c1"), page([record(2)])]);
    expect(await namesOf(line, 1, 2)).toEqual(["MT-1", "MT-2"]);
    expect(line.asked[1]?.variables).toMatchObject({ after: "c1" });
  });

  it("are all or none: one that cannot be read fails them, by its name", async () => {
    const asked = namesOf(new Line([page([record(1), { ...record(2), title: " " }])]), 1, 2);
    await expect(asked).rejects.toMatchObject({
      kind: "tracker_response",
      message: expect.stringMatching(/MT-2.*title/) as string,
    });
  });

  it("that come twice must be the same: to take either would be a guess", async () => {
    const other = { ...record(1), state: { name: "Done" } };
    expect(await namesOf(new Line([page([record(1), record(1)])]), 1)).toEqual(["MT-1"]);
    await expect(namesOf(new Line([page([record(1), other])]), 1)).rejects.toMatchObject({
      kind: "tracker_response",
      message: expect.stringContaining("MT-1 twice") as string,
    });
  });
});
