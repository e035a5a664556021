import { expect, test } from "vitest";
import type { TrackerSettings } from "../../../src/domain/settings.ts";
import { mismatches } from "../../../src/tracker/mismatch.ts";
import type { Vocabulary } from "../../../src/tracker/port.ts";
import { settingsOf, withLines } from "../workflow/parsing.ts";

const settings = (more: Partial<TrackerSettings>): TrackerSettings => ({
  ...settingsOf(withLines("")).tracker,
  activeStates: ["Todo"],
  terminalStates: ["Done", "Closed"],
  requiredLabels: [],
  ...more,
});
const board: Vocabulary = {
  scope: "Web",
  states: [{ of: "team ENG", names: ["Todo", "In Progress", "Done"] }],
  labels: ["bug"],
  isAllLabels: true,
};
const texts = (more: Partial<TrackerSettings>, found: Partial<Vocabulary> = {}): readonly string[] =>
  mismatches(settings(more), { ...board, ...found }).map(({ text }) => text);

test("names that are there, whatever their case, are no mismatch", () => {
  expect(texts({ activeStates: ["todo", "In Progress"], requiredLabels: ["BUG"] })).toEqual([]);
});

test("a state that no team has is named with those that it has", () => {
  expect(texts({ activeStates: ["Todoo", "Todo"] })).toEqual([
    'tracker.active_states: no state is called "Todoo" in team ENG; it has: Todo, In Progress, Done.',
  ]);
  const ops = { of: "team OPS", names: ["Next"] };
  expect(texts({ activeStates: ["Next"] }, { states: [...board.states, ops] })).toEqual([]);
});

test("without any active state nothing can be taken, with one of several it can", () => {
  const fatal = (more: Partial<TrackerSettings>) =>
    mismatches(settings(more), board).map(({ isFatal }) => isFatal);
  expect(fatal({ activeStates: ["Doing"] })).toEqual([true]);
  expect(fatal({ activeStates: ["Doing", "Todo"] })).toEqual([false]);
});

test("of terminal states one is enough: the usual ones are of many boards", () => {
  expect(texts({ terminalStates: ["Closed"] })).toEqual([
    expect.stringContaining('none of "Closed" is a state in team ENG; it has: Todo'),
  ]);
});

test("a label that nobody made is named with those there are", () => {
  expect(texts({ requiredLabels: ["baton"] })).toEqual([
    'tracker.required_labels: no label is called "baton"; there are: bug. Nothing is taken until an issue has it.',
  ]);
  const many = Array.from({ length: 20 }, (_, n) => `l${n}`);
  expect(texts({ requiredLabels: ["baton"] }, { labels: many, isAllLabels: false })[0]).toContain(
    "l11, and 8 more, and more.",
  );
  expect(texts({ requiredLabels: ["baton"] }, { labels: [] })[0]).toContain("there is none at all");
});

test("a project that is not there is told alone", () => {
  expect(texts({ activeStates: ["Doing"], projectSlug: "web" }, { scope: null })).toEqual([
    'There is no project "web", or this key may not see it.',
  ]);
});
