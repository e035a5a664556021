import { expect, test } from "vitest";
import { unpainted } from "../../src/terminal/colour.ts";
import { issueId } from "../../src/domain/issue.ts";
import { Figures } from "./figures.ts";
import { figuresText, lineText, violationText } from "./page.ts";
import { fromLoop } from "./rules.ts";
import { DAY_MS, HOUR_MS } from "./timeline.ts";
import type { Line } from "./transcript.ts";

const LINE: Line = {
  at: 2 * DAY_MS + HOUR_MS,
  kind: "deed",
  who: "T-1",
  words: "[r4] turn 1 started",
  issue: issueId("i1"),
};

test("a line says when, who and what", () => {
  expect(lineText(LINE, unpainted)).toBe("day  3 01:00:00.000  T-1              [r4] turn 1 started");
});

test("a violation is told with its rule in words and the last lines about its issue", () => {
  const violation = { rule: "I2", words: "r4 starts as number 4 of 3", issue: issueId("i1") } as const;
  const text = violationText(violation, [LINE], unpainted);
  expect(text).toContain("VIOLATED  I2: no more runs than there are slots");
  expect(text).toContain("r4 starts as number 4 of 3.");
  expect(text).toContain(`The last lines about T-1:\n  ${lineText(LINE, unpainted)}`);
});

test("what the loop itself notices goes under the rule that it names", () => {
  const named = fromLoop(new Error('invariant broken by "polled": I8: r1 starts while it is paused'));
  expect(named.rule).toBe("I8");
  expect(fromLoop(new TypeError("x is not a function")).rule).toBe("loop");
});

test("everything that is counted is printed in words", () => {
  const figures = new Figures();
  figures.add("killedBeforeCommit", 1_234);
  expect(figuresText(figures)).toContain("1,234 killed before commit");
  expect(figuresText(figures)).toContain("0 refusals 429");
});
