import { describe, expect, test } from "vitest";
import {
  isSameIssue,
  isSameTracker,
  othersIn,
  ownerIn,
  ownerText,
  type Owner,
} from "../../../src/workspace/owner.ts";
import { acme } from "../../whose.ts";

const owner: Owner = { tracker: acme, issueId: "id-7", identifier: "ENG-7", workflow: "main" };

describe("two records name the same issue", () => {
  test("whatever it is called now, and whoever works on it", () => {
    expect(isSameIssue(owner, { ...owner, identifier: "OPS-1", workflow: "other" })).toBe(true);
  });

  test("also when the tracker answers at another address, if it tells its organisation", () => {
    const moved = { ...owner, tracker: { ...acme, endpoint: "https://proxy.example/graphql" } };
    expect(isSameIssue(owner, moved)).toBe(true);
    expect(isSameTracker(acme, moved.tracker)).toBe(true);
  });

  test("by the address where one of them does not know the organisation", () => {
    const untold = { ...acme, organisation: null };
    expect(isSameIssue(owner, { ...owner, tracker: untold })).toBe(true);
    expect(isSameIssue(owner, { ...owner, tracker: { ...untold, endpoint: "http://127.0.0.1:1" } })).toBe(
      false,
    );
  });

  test("not for another id, another organisation, or another kind of tracker", () => {
    const others: readonly Owner[] = [
      { ...owner, issueId: "id-8" },
      { ...owner, tracker: { ...acme, organisation: "globex" } },
      { ...owner, tracker: { ...acme, kind: "other" } },
    ];
    expect(others.map((other) => isSameIssue(owner, other))).toEqual([false, false, false]);
  });
});

test("a record is read as it was written", () => {
  expect(ownerIn(ownerText(owner))).toEqual(owner);
  const tenant = { installation: "one", ledger: "/srv/ledger.db" };
  expect(ownerIn(ownerText({ ...owner, tenant }))).toEqual({ ...owner, tenant });
});

test("a ledger is another's by its place, and only while it is served", () => {
  const self = { installation: "one", ledger: "/srv/ledger.db" };
  const copy = { installation: "one", ledger: "/srv/copy.db" };
  const all = { self, isServed: () => true };
  expect(othersIn({ ...owner, tenant: copy }, all)).toEqual(copy);
  expect(othersIn({ ...owner, tenant: { ...self, installation: "before" } }, all)).toBeNull();
  expect(othersIn({ ...owner, tenant: copy }, { self, isServed: () => false })).toBeNull();
  expect([othersIn(owner, all), othersIn(null, all), othersIn({ ...owner, tenant: copy }, null)]).toEqual([
    null,
    null,
    null,
  ]);
});

test.each(["", "{", "[]", '{"version":2}', ownerText({ ...owner, issueId: "" })])(
  "%j is no record",
  (text) => {
    expect(ownerIn(text)).toBeNull();
  },
);
