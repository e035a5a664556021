import { expect, test } from "vitest";
import { checkedText, checkedView } from "../../../src/cli/validate-view.ts";
import type { Checked } from "../../../src/cli/validate.ts";
import { unpainted } from "../../../src/terminal/colour.ts";
import { issue } from "./history.ts";

const look = { columns: 60, wraps: false, paint: unpainted, issue: issue(12, "T") };
const checked = (more: Partial<Checked>): Checked => ({
  path: "/w.md",
  workflow: null,
  warnings: [],
  problems: [],
  prompt: null,
  ...more,
});

test("a problem stands with file, line and column, as editors and terminals can open it", () => {
  const problems = [
    {
      kind: "invalid" as never,
      place: { line: 3, column: 5 },
      key: "agent.max_turns",
      text: "It must be a number.",
    },
  ];
  const text = checkedText(checked({ problems }), look);
  expect(text).toContain("/w.md: cannot be used: 1 problem");
  expect(text).toContain("problem  /w.md:3:5: agent.max_turns: It must be a number.");
  expect(checkedView(checked({ problems }))).toMatchObject({ ok: false, problems: [{ line: 3, column: 5 }] });
});

test("warnings keep nobody from using a file", () => {
  expect(checkedText(checked({ warnings: ["w"] }), look)).toContain("/w.md: valid, with 1 warning");
  expect(checkedView(checked({ warnings: ["w"] })).ok).toBe(true);
});

test("a prompt is shown whole, with whom it was rendered for", () => {
  expect(checkedText(checked({ prompt: "Do it." }), look)).toContain(
    "--- prompt for MT-12 (6 characters) ---\nDo it.",
  );
});

test("on a terminal long lines are wrapped under their beginning", () => {
  const warning = Array.from({ length: 20 }, () => "word").join(" ");
  const lines = checkedText(checked({ warnings: [warning] }), { ...look, wraps: true }).split("\n");
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.every((line) => line.length <= 60)).toBe(true);
  expect(lines[2]).toMatch(/^ {9}word/);
});
