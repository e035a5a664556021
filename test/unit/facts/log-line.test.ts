import { styleText } from "node:util";
import { expect, test } from "vitest";
import type { Fact } from "../../../src/domain/fact.ts";
import { issueId } from "../../../src/domain/issue.ts";
import { runId, workflowName } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import type { Level } from "../../../src/facts/describe.ts";
import { logLine } from "../../../src/facts/log-line.ts";

const at = instant(Date.UTC(2031, 4, 9, 8, 0, 0, 999));
const about = {
  workflow: workflowName("main"),
  issueId: issueId("issue-12"),
  identifier: "MT-12",
  runId: runId("r7"),
};
const fact = (more: Partial<Fact> = {}): Fact => ({ type: "hold_ended", at, ...more }) as Fact;
const plainLine = (more: Partial<Fact>, level: Level = "info"): string =>
  logLine(fact(more), { level, message: "said" }, false);

test("a line has the second it was, in UTC, the level in a column, whom it is about, and the words", () => {
  expect(plainLine(about)).toBe("2031-05-09T08:00:00Z info  MT-12 r7 said\n");
  expect(plainLine({}, "error")).toBe("2031-05-09T08:00:00Z error said\n");
});

test("what is about a workflow alone names it in brackets, and an issue is never named twice", () => {
  expect(plainLine({ workflow: about.workflow })).toBe("2031-05-09T08:00:00Z info  (main) said\n");
  expect(plainLine(about)).not.toContain("main");
});

test("a name can neither begin a line of its own, nor colour it, nor fill it", () => {
  const line = plainLine({ identifier: `MT\n\u001b[31m${"x".repeat(500)}` });
  for (const sign of ["\n", "\u001b"]) expect(line.trimEnd()).not.toContain(sign);
  expect(line.length).toBeLessThan(200);
});

test.each([
  ["debug", "gray"],
  ["info", "green"],
  ["warn", "yellow"],
  ["error", "red"],
] as const)("with colours, %s is %s", (level, colour) => {
  const line = logLine(fact(), { level, message: "said" }, true);
  expect(line).toContain(styleText(colour, level.padEnd(5), { validateStream: false }));
});
