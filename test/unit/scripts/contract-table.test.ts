import { expect, test } from "vitest";
import { type Tried, unnamed, withRows } from "../../../scripts/contract-table.ts";

const made = (more: Partial<Tried> = {}): Tried => ({
  version: "0.155.0",
  on: "2031-01-02",
  passed: 101,
  failed: [],
  unfinished: null,
  ...more,
});

const empty = "before\n<!-- table -->\n<!-- end -->\nafter\n";
const HEAD = "| Codex | tried on | passed | failed |\n|---|---|---|---|";

test("a release has a row with what it passed and what it failed", () => {
  expect(withRows(empty, [made({ failed: ["one", "a|b"] })])).toBe(
    `before\n<!-- table -->\n${HEAD}\n| 0.155.0 | 2031-01-02 | 101 | a\\|b<br>one |\n<!-- end -->\nafter\n`,
  );
});

test("a row takes the place of an older one of its release; others stay, in the order of their numbers", () => {
  const before = withRows(empty, [made({ failed: ["one"] }), made({ version: "0.98.0" })]);
  const after = withRows(before, [made({ passed: 102 }), made({ version: "0.130.0" })]);
  expect(after.match(/^\| \d.*$/gm)).toEqual([
    "| 0.98.0 | 2031-01-02 | 101 | none |",
    "| 0.130.0 | 2031-01-02 | 101 | none |",
    "| 0.155.0 | 2031-01-02 | 102 | none |",
  ]);
});

test("a release whose run did not come to its end has a row that says so, and what had failed by then", () => {
  const unfinished = made({ passed: 7, failed: ["one"], unfinished: "ended after 15 minutes" });
  expect(withRows(empty, [unfinished])).toContain(
    "| 0.155.0 | 2031-01-02 | 7 | not finished: ended after 15 minutes<br>one |",
  );
});

test("what fails is new unless the row of that very release names it", () => {
  const document = withRows(empty, [made({ failed: ["one", "a|b"] }), made({ version: "0.162.1" })]);
  expect(unnamed(document, made({ failed: ["one", "a|b", "two"] }))).toEqual(["two"]);
  expect(unnamed(document, made({ version: "0.162.1", failed: ["one"] }))).toEqual(["one"]);
  expect(unnamed(document, made({ version: "0.169.0", failed: ["one"] }))).toEqual(["one"]);
});

test("a run without an end is new where the row has one", () => {
  const late = made({ unfinished: "ended after 15 minutes" });
  expect(unnamed(withRows(empty, [made()]), late)).toEqual(["ended after 15 minutes"]);
  expect(unnamed(withRows(empty, [late]), late)).toEqual([]);
});

test("a document without the marks is refused", () => {
  expect(() => withRows("nothing", [made()])).toThrow('no "<!-- table -->"');
});
