import { expect, test } from "vitest";
import type { Why } from "../../../src/cli/why.ts";
import { whyLines, whyView } from "../../../src/cli/why-view.ts";
import { after } from "../../../src/domain/time.ts";
import { unpainted } from "../../../src/terminal/colour.ts";
import { now } from "./history.ts";

const look = { now, columns: 100, paint: unpainted };
const why: Why = {
  issue: "unknown",
  reasons: [
    {
      workflow: "main",
      path: "/srv/WORKFLOW.md",
      explanation: {
        verdict: "It does not start: it is paused: freeze.",
        gates: [
          { name: "visible", open: null, value: "the tracker was not asked", opensAt: null },
          { name: "limits", open: true, value: "0 of 15 runs", opensAt: null },
          { name: "pause", open: false, value: "it is paused: freeze", opensAt: after(now, 60_000) },
        ],
      },
    },
  ],
  notAsked: ["The tracker was not asked: no key."],
};

test("every gate is a line with its answer, what decided and until when; what was not asked is said", () => {
  expect(whyLines(why, look)).toEqual([
    "It does not start: it is paused: freeze.",
    "  ?    visible         the tracker was not asked",
    "  yes  limits          0 of 15 runs",
    "  no   pause           it is paused: freeze, until 2031-05-09 12:01:00 (in 1 min)",
    "The tracker was not asked: no key.",
  ]);
});

test("of several workflows the nearest has its gates, each other one a sentence", () => {
  const [first] = why.reasons;
  if (first === undefined) throw new Error("there is one");
  const lines = whyLines({ ...why, reasons: [first, { ...first, workflow: "other" }] }, look);
  expect(lines[0]).toBe("For workflow main: It does not start: it is paused: freeze.");
  expect(lines).toContain("For workflow other: It does not start: it is paused: freeze.");
});

test("the JSON has the gates with their times", () => {
  expect(whyView(why)).toMatchObject({
    not_asked: ["The tracker was not asked: no key."],
    workflows: [
      {
        workflow: "main",
        gates: [{}, {}, { name: "pause", open: false, opens_at: expect.any(String) as string }],
      },
    ],
  });
});
