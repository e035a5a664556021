import { expect, test } from "vitest";
import { holdOf, pauseOf, spentOf } from "../../../src/ledger/reader-control.ts";

test("a hold without a trial, and one with", () => {
  const said = {
    cause: "installation",
    kind: "root_unusable",
    remedy: "chmod",
    why: "w",
    since: 3,
    until: 9,
  };
  const row = { workflow: "main", ...said, over_by: "opened", refusals: 2, probe: null, under: "c1" };
  expect(holdOf(row)).toEqual(["main", { ...said, overBy: "opened", refusals: 2, trial: null, under: "c1" }]);
  expect(holdOf({ ...row, probe: "r7" })[1].trial).toBe("r7");
});

test("words of another version are taken for the nearest that is known", () => {
  const row = {
    workflow: "main",
    why: "w",
    remedy: "r",
    since: 3,
    until: 9,
    refusals: 2,
    probe: null,
    under: null,
  };
  expect(holdOf({ ...row, cause: "new", kind: "new", over_by: "new" })[1]).toMatchObject({
    cause: "provider",
    kind: "internal",
    overBy: "completed",
  });
});

test("a pause of everything, until somebody resumes or a time", () => {
  expect(pauseOf({ scope: "*", why: "w", since: 1, until: null })).toEqual([
    "*",
    { why: "w", since: 1, until: null },
  ]);
  expect(pauseOf({ scope: "main", why: "w", since: 1, until: 2 })[1].until).toBe(2);
});

test("a day is counted from the epoch; before the first one nothing was spent", () => {
  expect(spentOf({ day: "1970-01-03", tokens: 5 })).toEqual({ day: 2, tokens: 5 });
  expect(spentOf(undefined)).toEqual({ day: 0, tokens: 0 });
});
