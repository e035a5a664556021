import { describe, expect, it } from "vitest";
import {
  type CandidateScope,
  isWorthSharing,
  ownScan,
  sharedScan,
} from "../../../../src/tracker/linear/candidates.ts";
import { Line, never, page, record } from "./line.ts";

const scope = (change: Partial<CandidateScope> = {}): CandidateScope => ({
  states: ["Todo"],
  labels: [],
  assignee: null,
  ...change,
});
const issue = (n: number, labels: readonly string[], more: object = {}) => ({
  ...record(n),
  labels: { nodes: labels.map((name) => ({ name })) },
  ...more,
});
const shared = async (line: Line, ...scopes: readonly CandidateScope[]) =>
  (await sharedScan(line.client, "demo", scopes, never)).map(({ issues }) =>
    issues.map(({ identifier }) => identifier),
  );

describe("a scan of one workflow", () => {
  it("leaves the choosing to Linear: what is not taken costs nothing", async () => {
    const line = new Line([page([record(1)])]);
    await ownScan(line.client, "demo", scope({ labels: ["a", "b"], assignee: "u" }), never);
    expect(line.asked[0]?.variables).toEqual({
      projectSlugs: ["demo"],
      states: [{ name: { eqIgnoreCase: "Todo" } }],
      labels: ["a", "b"].map((name) => ({ labels: { some: { name: { eqIgnoreCase: name } } } })),
      assignee: { id: { eq: "u" } },
      first: 50,
    });
  });
});

describe("a scan of several workflows", () => {
  it("gives each what it takes: by labels, states and assignee", async () => {
    const nodes = [
      issue(1, ["A"]),
      issue(2, ["a", "b"], { state: { name: "IN PROGRESS" } }),
      issue(3, ["b"], { assignee: { id: "u" } }),
      issue(4, []),
    ];
    const lists = await shared(
      new Line([page(nodes)]),
      scope({ labels: ["a"], states: ["Todo", "In Progress"] }),
      scope({ labels: ["b"] }),
      scope({ labels: ["b", "a"], states: ["in progress"] }),
      scope({ assignee: "u" }),
      scope({ assignee: "v" }),
    );
    expect(lists).toEqual([["MT-1", "MT-2"], ["MT-3"], ["MT-2"], ["MT-3"], []]);
  });

  it("asks for nothing that none of them takes, and shows only labels that tell them apart", async () => {
    const line = new Line([page([])]);
    await shared(line, scope({ labels: ["a"] }), scope({ labels: ["A", "b"] }));
    const named = (name: string) => ({ name: { eqIgnoreCase: name } });
    expect(line.asked[0]?.variables).toMatchObject({
      scopes: [
        { and: [{ labels: { some: named("a") } }] },
        { and: [{ labels: { some: named("A") } }, { labels: { some: named("b") } }] },
      ],
      labels: { or: [named("a"), named("b")] },
      labelsShown: 2,
    });
  });

  it("looks at all labels of an issue on which one name came twice and may have hidden another", async () => {
    const line = new Line([
      page([issue(1, ["a", "A"])]),
      {
        issue: {
          labels: { nodes: ["a", "A", "b"].map((name) => ({ name })), pageInfo: { hasNextPage: false } },
        },
      },
    ]);
    expect(await shared(line, scope({ labels: ["a"] }), scope({ labels: ["b"] }))).toEqual([
      ["MT-1"],
      ["MT-1"],
    ]);
    expect(line.asked).toHaveLength(2);
  });

  it("names to each what could not be read", async () => {
    const lists = await sharedScan(new Line([page([{}])]).client, "demo", [scope(), scope()], never);
    expect(lists.map(({ rejected }) => rejected.length)).toEqual([1, 1]);
  });
});

describe("sharing", () => {
  it.each([
    [true, [["a"], ["b"]]],
    [true, [[], []]],
    [
      true,
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      false,
      [
        ["a", "b", "c"],
        ["d", "e"],
      ],
    ],
    [true, [["a", "b", "c"], ["d", "e"], ["a"]]],
    [false, [["a"]]],
  ])("is worth it or not (%s) for workflows with the labels %j", (isWorth, labels) => {
    expect(isWorthSharing(labels.map((names) => scope({ labels: names })))).toBe(isWorth);
  });
});
