import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allKept, documents, withTables } from "../../../scripts/figures.ts";

const repository = join(import.meta.dirname, "../../..");
const text = (name: string): string => readFileSync(join(repository, name), "utf8");

test.each(documents)("the tables of %s are those that docs/figures.json makes: npm run figures", (name) => {
  expect(text(name)).toBe(withTables(text(name), allKept()));
});

test("no figures are kept that no document shows", () => {
  const all = documents.map(text).join("\n");
  expect(Object.keys(allKept()).filter((name) => !all.includes(`<!-- figures: ${name} -->`))).toEqual([]);
});

test("a table shows where and when its figures were seen, and nothing that was there before", () => {
  const kept = {
    some: { date: "2031-01-02", machine: "a machine", columns: ["what", "seen"], rows: [["x", "1"]] },
  };
  const before = "before\n<!-- figures: some -->\nold\n<!-- end of figures -->\nafter";
  const after = withTables(before, kept);
  expect(after).toContain("Seen on 2031-01-02: a machine.\n\n| what | seen |\n| --- | --- |\n| x | 1 |\n");
  expect(after).not.toContain("old");
  expect(withTables(after, kept)).toBe(after);
  expect(() => withTables(before, {})).toThrow('no figures called "some"');
});
