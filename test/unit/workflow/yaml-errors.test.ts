import { describe, expect, test } from "vitest";
import { errorOf } from "./parsing.ts";

/** Places and texts of what is said of a front matter; its first line is the file's second. */
const said = (yaml: string): readonly string[] =>
  errorOf(`---\n${yaml}\n---\nDo it.`)
    .message.split("\n")
    .map((line) => line.replace("/repo/WORKFLOW.md:", ""));

describe("a mistake in YAML is told once, on the line that is wrong", () => {
  test.each([
    [
      "a quote",
      'tracker:\n  project_slug: "web\nagent:\n  max_turns: 3\nname: x',
      "3:17",
      "quote that opens here",
    ],
    ["another quote", "name: 'x\nagent:\n  max_turns: 3", "2:7", "quote that opens here"],
    [
      "a brace",
      "tracker: {kind: linear,\n  project_slug: web\nagent:\n  max_turns: 3",
      "2:10",
      "`{` that opens here",
    ],
    ["a bracket", "tracker:\n  required_labels: [a, b\n  kind: linear", "3:20", "`[` that opens here"],
    ["a line too deep", "tracker:\n  kind: linear\n   project_slug: web", "4:4", "indented deeper"],
    ["no blank after a colon", "tracker:\n  kind:linear\n  project_slug: web", "3:3", "a blank is missing"],
    ["a colon in a value", "name: a: b\nagent: {}", "2:7", "put quotes around it"],
    ["a tab", "tracker:\n\tkind: linear", "3:1", "with a tab"],
    ["a script that is not indented", "hooks:\n  before_run: |\n    a\n   b\n  after_run: c", "5:1", ""],
    ["an alias of nothing", "name: x\nagent: *all", "3:8", "names nothing"],
    ["a stray brace", "name: }x", "2:7", "want quotes"],
  ])("%s", (_, yaml, place, text) => {
    const lines = said(yaml);
    expect(lines).toEqual([expect.stringContaining(text)]);
    expect(lines[0]?.split(": ")[0]).toBe(place);
  });

  test("and two mistakes are two", () => {
    expect(said('name: @x\nb: 1\nc: "a\\qb"').map((line) => line.split(":")[0])).toEqual(["2", "4"]);
  });
});

test("a number that is wrong in two ways is told once", () => {
  const lines = said("tracker: {kind: linear, project_slug: w}\nagent:\n  max_turns: 99999999999999999999");
  expect(lines.filter((line) => line.includes("max_turns"))).toHaveLength(1);
});
