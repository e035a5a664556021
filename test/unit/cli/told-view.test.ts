import { expect, test } from "vitest";
import { toldText, toldView } from "../../../src/cli/told-view.ts";
import type { RunRow } from "../../../src/ledger/ledger.ts";
import { runId } from "../../../src/domain/run.ts";
import { instant } from "../../../src/domain/time.ts";
import type { Paint } from "../../../src/terminal/terminal.ts";

const paint: Paint = (_style, text) => text;
const at = instant(Date.UTC(2031, 4, 9, 8));
const told = [
  {
    run: { id: runId("r7") } as RunRow,
    told: [
      { turn: 1, at, text: "Do it:\n  - \u001b[31mwell\u001b[0m" },
      { turn: 2, at, text: null },
    ],
  },
];

test("each turn has a heading and its text, line by line, fit for a terminal", () => {
  expect(toldText(told, paint)).toMatch(
    /^r7, turn 1, .*\nDo it:\n {2}- well\n\nr7, turn 2, .*\n\(not kept: /,
  );
  expect(toldText([], paint)).toBe("No turn has begun yet.");
});

test("as JSON the text is word for word what the agent was given", () => {
  expect(toldView(told)[0]).toEqual({
    run_id: "r7",
    turn: 1,
    at: "2031-05-09T08:00:00.000Z",
    text: "Do it:\n  - \u001b[31mwell\u001b[0m",
  });
});
