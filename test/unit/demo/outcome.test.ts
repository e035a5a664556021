import { expect, test } from "vitest";
import { unpainted } from "../../../src/terminal/colour.ts";
import { outcomeLines, problems } from "../../../src/demo/outcome.ts";
import type { TicketOutcome } from "../../../src/demo/outcome.ts";

const done: TicketOutcome = {
  identifier: "DEMO-1",
  title: "Greet the world",
  wanted: true,
  state: "Done",
  runs: 2,
  turns: 3,
  tokens: 24_180,
  commit: "3f2a1bc",
  comments: 1,
  touched: true,
  failure: "The server had an error.",
};

const left: TicketOutcome = {
  ...done,
  identifier: "DEMO-5",
  title: "Draw a logo",
  wanted: false,
  state: "Todo",
  runs: 0,
  turns: 0,
  tokens: 0,
  commit: null,
  comments: 0,
  touched: false,
  failure: null,
};

test("a ticket that is done with commit and comment is fine, and so is one that nobody touched", () => {
  expect(problems([done, left])).toEqual([]);
});

test("a ticket that is not done is named with its state and the reason", () => {
  expect(problems([{ ...done, state: "In Progress" }])).toEqual([
    'DEMO-1 is in "In Progress" instead of "Done". The last failure: The server had an error.',
  ]);
});

test("done without a commit or a comment is not done", () => {
  expect(problems([{ ...done, commit: null, failure: null }])).toEqual([
    "DEMO-1 is done, but there is no commit on its branch.",
  ]);
  expect(problems([{ ...done, comments: 0 }])).toEqual(["DEMO-1 is done, but nobody commented on it."]);
});

test("a ticket with another label must not be run or changed", () => {
  expect(problems([{ ...left, runs: 1 }])).toHaveLength(1);
  expect(problems([{ ...left, touched: true }])).toHaveLength(1);
});

test("the table has a row per ticket, with dashes where there was no work", () => {
  expect(outcomeLines([done, left], 80, unpainted)).toEqual([
    "TICKET  STATE  RUNS  TURNS  TOKENS  COMMIT   COMMENTS  TITLE",
    "DEMO-1  Done      2      3   24.2k  3f2a1bc         1  Greet the world",
    "DEMO-5  Todo      -      -       -  -               -  Draw a logo",
  ]);
});
