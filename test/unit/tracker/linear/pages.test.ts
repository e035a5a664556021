import { describe, expect, it } from "vitest";
import { allPages, type Page } from "../../../../src/tracker/linear/pages.ts";

const limits = { pagesMax: 3, nodesMax: 5 };
const whole = { hasNextPage: false };
const more = (endCursor: string | null) => ({ hasNextPage: true, endCursor });

/** Reads these pages; `after` is what was asked for each. */
async function reading(pages: readonly Omit<Page<number>, "asked">[]) {
  const after: (string | null)[] = [];
  const nodes = allPages("the list", limits, async (cursor) => {
    const page = pages[after.push(cursor) - 1];
    if (page === undefined) throw new Error("one page too many was asked for");
    return { asked: 2, ...page };
  });
  return { nodes: await nodes, after };
}

describe("a list", () => {
  it("is the nodes of all its pages, in their order", async () => {
    expect(
      await reading([
        { nodes: [1, 2], pageInfo: more("a") },
        { nodes: [3], pageInfo: whole },
      ]),
    ).toEqual({
      nodes: [1, 2, 3],
      after: [null, "a"],
    });
  });

  it("without a word about its end is over with a page that is not full", async () => {
    expect((await reading([{ nodes: [1] }])).nodes).toEqual([1]);
  });

  it.each([
    ["does not say whether a full page is the last", [{ nodes: [1, 2] }], "does not say"],
    ["has more, but not where", [{ nodes: [1], pageInfo: more(null) }], "not where they begin"],
    [
      "leads back",
      [
        { nodes: [], pageInfo: more("a") },
        { nodes: [], pageInfo: more("a") },
      ],
      "leads back",
    ],
    [
      "has more pages than are read",
      ["a", "b", "c"].map((cursor) => ({ nodes: [], pageInfo: more(cursor) })),
      "more than 3 pages",
    ],
    [
      "has more entries than are kept",
      [{ nodes: [1, 2, 3, 4, 5, 6], pageInfo: whole }],
      "more than 5 entries",
    ],
  ])("that %s is an error, never half a list", async (_, pages, words) => {
    await expect(reading(pages)).rejects.toMatchObject({
      kind: "tracker_pagination",
      message: expect.stringContaining(words) as string,
    });
  });
});
