import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { issueOf } from "../../../../src/tracker/linear/normalise.ts";
import { shapes } from "../../../../src/tracker/linear/shapes.ts";
import type { Issue } from "../../../../src/domain/issue.ts";

const me = "user-1";

const good = {
  id: "0b0a4a6e-7c55-4b43-9b8e-0d5a3d7f5c01",
  identifier: "MT-12",
  title: "A title",
  description: "Some text",
  priority: 2,
  createdAt: "2026-01-02T03:04:05.678Z",
  updatedAt: "2026-02-03T04:05:06Z",
  archivedAt: null,
  trashed: null,
  branchName: "mt-12-a-title",
  url: "https://linear.app/x/issue/MT-12",
  state: { name: "Todo", id: "state-1" },
  assignee: { id: me },
  team: { id: "team-1" },
  project: { slugId: "demo", id: "project-1" },
  labels: { nodes: [{ name: "Baton" }], pageInfo: { hasNextPage: false, endCursor: null } },
  inverseRelations: {
    nodes: [{ type: "blocks", issue: { id: "blocker-1", identifier: "MT-1", state: { name: "Done" } } }],
    pageInfo: { hasNextPage: false, endCursor: null },
  },
};

/** The issue that this record becomes for somebody who works on the issues of `me`; null when it cannot be read. */
const normalised = (record: unknown): Issue | null => {
  const parsed = shapes().issue.safeParse(record);
  if (!parsed.success) return null;
  const lists = { labels: parsed.data.labels.nodes, relations: parsed.data.inverseRelations.nodes };
  return issueOf(parsed.data, lists, { assignee: me, projectSlug: "demo" });
};

const becomes = (change: object): Issue | null => normalised({ ...good, ...change });

const without = (field: string): Issue | null =>
  normalised(Object.fromEntries(Object.entries(good).filter(([key]) => key !== field)));

describe("a good record", () => {
  it("has each label once, trimmed and lower-cased, and no blank one (SPEC 11.3)", () => {
    const nodes = ["Baton", " baton ", "BATON", " ", "", "API"].map((name) => ({ name }));
    expect(becomes({ labels: { nodes, pageInfo: null } })?.labels).toEqual(["baton", "api"]);
  });

  it("becomes an issue of the domain, field by field", () => {
    expect(normalised(good)).toEqual({
      id: good.id,
      identifier: "MT-12",
      title: "A title",
      description: "Some text",
      priority: 2,
      createdAt: Date.parse(good.createdAt),
      updatedAt: Date.parse(good.updatedAt),
      branchName: "mt-12-a-title",
      url: good.url,
      state: "Todo",
      labels: ["baton"],
      blockedBy: [{ id: "blocker-1", identifier: "MT-1", state: "Done" }],
      nativeRef: { id: good.id, team_id: "team-1", project_id: "project-1", state_id: "state-1" },
      assigneeId: me,
      dispatchable: true,
    });
  });

  it.each([
    [0, null],
    [1, 1],
    [4, 4],
    [5, null],
    [-1, null],
    [2.5, null],
    ["2", null],
    [Number.NaN, null],
  ])("of priority %s has priority %s", (priority, expected) => {
    expect(becomes({ priority })?.priority).toBe(expected);
  });

  it.each([
    ["2026-01-02", Date.UTC(2026, 0, 2)],
    ["2026-01-02T03:04:05+02:00", Date.UTC(2026, 0, 2, 1, 4, 5)],
    ["yesterday", null],
    ["2026-13-45T00:00:00Z", null],
    ["2026-02-30T00:00:00Z", null],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
    ["1", null],
    [1_767_225_600_000, null],
    ["", null],
  ])("created at %s was created at %s", (createdAt, expected) => {
    expect(becomes({ createdAt })?.createdAt).toBe(expected);
  });

  it.each([
    ["archived", { archivedAt: "2026-01-01T00:00:00Z" }],
    ["archived with an empty date", { archivedAt: "" }],
    ["in the trash", { trashed: true }],
    ["assigned to somebody else", { assignee: { id: "user-2" } }],
    ["assigned to nobody", { assignee: null }],
  ])("that is %s is not dispatchable", (_, change) => {
    expect(becomes(change)?.dispatchable).toBe(false);
  });

  it("keeps the order of its labels, lower-cased, without the empty ones", () => {
    const nodes = [{ name: "Zebra" }, { name: " API " }, { name: "" }, { name: "ÄÖ" }];
    expect(becomes({ labels: { nodes } })?.labels).toEqual(["zebra", "api", "äö"]);
  });

  it("has as blockers only what blocks it, whole or in parts", () => {
    const issue = { id: "b", identifier: "MT-2", state: { name: "Todo" } };
    const nodes = [
      { type: "related", issue },
      { type: "duplicate", issue },
      { type: " Blocks", issue },
      { type: "blocks", issue: null },
      { type: "blocks", issue: { id: "c" } },
    ];
    expect(becomes({ inverseRelations: { nodes } })?.blockedBy).toEqual([
      { id: "b", identifier: "MT-2", state: "Todo" },
      { id: null, identifier: null, state: null },
      { id: "c", identifier: null, state: null },
    ]);
  });

  it("that blocks itself, or is in a circle, is given as it is", () => {
    const nodes = [{ type: "blocks", issue: { id: good.id, identifier: "MT-12", state: { name: "Todo" } } }];
    expect(becomes({ inverseRelations: { nodes } })?.blockedBy).toEqual([
      { id: good.id, identifier: "MT-12", state: "Todo" },
    ]);
  });

  it("has a title of one bounded line", () => {
    expect(becomes({ title: " a\u0000b\nc\u001b[31m " })?.title).toBe("a b c [31m");
    expect(becomes({ title: "x".repeat(100_000) })?.title).toHaveLength(500);
  });

  it("has no link that is not a web address", () => {
    for (const url of ["javascript:alert(1)", "data:text/html,x", "https://", "/x", 7]) {
      expect(becomes({ url })?.url).toBeNull();
    }
  });
});

/**
 * The matrix: each field, each way it can be wrong. `null`: the record cannot be read. An object: what the issue then
 * says. What decides whether work starts or stops is never guessed.
 */
const unreadable = null;
const anyIssue = {};
const huge = "x".repeat(100_000);
const odd = "a\u202eb\ud800c";
const matrix: Readonly<Record<keyof typeof good, Readonly<Record<string, object | null>>>> = {
  id: {
    missing: unreadable,
    null: unreadable,
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  identifier: {
    missing: unreadable,
    null: unreadable,
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  title: {
    missing: unreadable,
    null: unreadable,
    wrong: unreadable,
    empty: unreadable,
    huge: anyIssue,
    odd: { title: "a\u202eb\ufffdc" },
  },
  team: {
    missing: { nativeRef: expect.objectContaining({ team_id: null }) as object },
    null: { nativeRef: expect.objectContaining({ team_id: null }) as object },
    wrong: { nativeRef: expect.objectContaining({ team_id: null }) as object },
    empty: { nativeRef: expect.objectContaining({ team_id: null }) as object },
    huge: { nativeRef: expect.objectContaining({ team_id: null }) as object },
    odd: { nativeRef: expect.objectContaining({ team_id: null }) as object },
  },
  project: {
    missing: unreadable,
    null: { dispatchable: false, whyNot: "it is in no project" },
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  state: {
    missing: unreadable,
    null: unreadable,
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  archivedAt: {
    missing: anyIssue,
    null: anyIssue,
    wrong: unreadable,
    empty: { dispatchable: false },
    huge: { dispatchable: false },
    odd: { dispatchable: false },
  },
  trashed: {
    missing: anyIssue,
    null: anyIssue,
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  assignee: {
    missing: { dispatchable: false },
    null: { dispatchable: false },
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  labels: {
    missing: unreadable,
    null: unreadable,
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  inverseRelations: {
    missing: unreadable,
    null: unreadable,
    wrong: unreadable,
    empty: unreadable,
    huge: unreadable,
    odd: unreadable,
  },
  description: {
    missing: { description: null },
    null: { description: null },
    wrong: { description: null },
    empty: { description: null },
    huge: { description: huge },
    odd: { description: "a\u202eb\ufffdc" },
  },
  priority: {
    missing: { priority: null },
    null: { priority: null },
    wrong: { priority: null },
    empty: { priority: null },
    huge: { priority: null },
    odd: { priority: null },
  },
  createdAt: {
    missing: { createdAt: null },
    null: { createdAt: null },
    wrong: { createdAt: null },
    empty: { createdAt: null },
    huge: { createdAt: null },
    odd: { createdAt: null },
  },
  updatedAt: {
    missing: { updatedAt: null },
    null: { updatedAt: null },
    wrong: { updatedAt: null },
    empty: { updatedAt: null },
    huge: { updatedAt: null },
    odd: { updatedAt: null },
  },
  branchName: {
    missing: { branchName: null },
    null: { branchName: null },
    wrong: { branchName: null },
    empty: { branchName: null },
    huge: { branchName: null },
    odd: { branchName: "a\u202eb\ufffdc" },
  },
  url: {
    missing: { url: null },
    null: { url: null },
    wrong: { url: null },
    empty: { url: null },
    huge: { url: null },
    odd: { url: null },
  },
};

const wrongType: Readonly<Record<string, unknown>> = { trashed: "yes", archivedAt: 5 };
const nested: Readonly<Record<string, (value: unknown) => unknown>> = {
  state: (name) => ({ name }),
  assignee: (id) => ({ id }),
  labels: (name) => ({ nodes: [{ name }, { name: null }] }),
  inverseRelations: (type) => ({
    nodes: [
      { type, issue: null },
      { type: null, issue: null },
    ],
  }),
};

const broken = (field: keyof typeof good, how: string): Issue | null => {
  const wrap = nested[field] ?? ((value: unknown) => value);
  if (how === "missing") return without(field);
  const value = {
    null: null,
    wrong: wrongType[field] ?? ["x"],
    empty: wrap(""),
    huge: wrap(huge),
    odd: wrap(odd),
  }[how];
  return becomes({ [field]: value });
};

describe("a record with one broken field", () => {
  const cases = Object.entries(matrix).flatMap(([field, ways]) =>
    Object.entries(ways).map(([how, expected]) => ({ field: field as keyof typeof good, how, expected })),
  );
  it("is met in every field and every way", () => {
    expect(cases).toHaveLength(17 * 6);
  });

  it.each(cases)("$field $how", ({ field, how, expected }) => {
    const issue = broken(field, how);
    if (expected === null) expect(issue).toBeNull();
    else expect(issue).toMatchObject(expected);
  });
});

describe("any record at all", () => {
  const junk = fc.oneof(
    fc.anything({ maxDepth: 2 }),
    fc.string({ unit: "binary" }),
    fc.constantFrom(null, undefined, "", 0, -1, true, [], {}, { nodes: [] }, { nodes: null }, huge, odd),
  );

  it("either cannot be read, or is an issue that keeps every promise of the domain", () => {
    const fields = fc.subarray(Object.keys(good), { maxLength: 4 });
    fc.assert(
      fc.property(fields, fc.array(junk, { minLength: 4, maxLength: 4 }), (broken, values) => {
        const change = Object.fromEntries(broken.map((field, n) => [field, values[n]]));
        const issue = becomes(change);
        if (issue !== null) expectPromises(issue, { ...good, ...change });
      }),
      { seed: 42, numRuns: 2000 },
    );
  });

  it("that is not even an object cannot be read", () => {
    fc.assert(
      fc.property(junk, (value) => normalised(value) === null),
      { seed: 43, numRuns: 1000 },
    );
  });
});

function expectPromises(issue: Issue, record: Readonly<Record<string, unknown>>): void {
  for (const text of [issue.id, issue.identifier, issue.title, issue.state, ...issue.labels]) {
    expect(text.isWellFormed()).toBe(true);
    expect(text.trim()).not.toBe("");
  }
  expect(issue.title.length).toBeLessThanOrEqual(500);
  expect([null, 1, 2, 3, 4]).toContain(issue.priority);
  for (const at of [issue.createdAt, issue.updatedAt]) if (at !== null) expect(at).not.toBeNaN();
  expect(issue.labels).toEqual(issue.labels.map((label) => label.trim().toLowerCase()));
  if (issue.dispatchable) {
    expect(record).toMatchObject({ assignee: { id: me } });
    expect(record["archivedAt"] ?? null).toBeNull();
    expect(record["trashed"] === true).toBe(false);
  }
}
