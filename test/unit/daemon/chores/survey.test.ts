import { expect, test } from "vitest";
import { Surveys } from "../../../../src/daemon/chores/survey.ts";
import type { Tracker, Vocabulary } from "../../../../src/tracker/port.ts";
import { W } from "../../scheduler/made.ts";
import { recorded, trackerWith, workflow } from "./parts.ts";

const never = new AbortController().signal;
const { activeStates, terminalStates } = workflow.settings.tracker;
const right: Vocabulary = {
  scope: "Web",
  states: [{ of: "team ENG", names: [...activeStates, ...terminalStates] }],
  labels: workflow.settings.tracker.requiredLabels,
  isAllLabels: true,
};

function surveyed(more: Partial<Tracker> = {}) {
  const { parts, news, facts, clock } = recorded();
  const asked: string[] = [];
  const trackerFor = trackerWith({
    countOpen: async () => {
      asked.push("open");
      return { count: 12, isAll: true };
    },
    vocabulary: async () => {
      asked.push("names");
      return right;
    },
    ...more,
  });
  let current = workflow;
  const workflows = { current: () => current };
  const surveys = new Surveys({ ...parts, workflows, trackerFor });
  const look = (): Promise<void> => surveys.look(W, never);
  return { look, news, facts, asked, clock, reload: () => (current = { ...workflow }) };
}

test("open issues are counted at the start, after a reload and every ten minutes; names are compared once a text", async () => {
  const { look, asked, news, clock, reload } = surveyed();
  await look();
  await look();
  expect(asked).toEqual(["open", "names"]);
  expect(news).toEqual([{ type: "open_counted", workflow: W, open: { count: 12, isAll: true } }]);
  clock.pass(10 * 60_000);
  await look();
  expect(asked).toEqual(["open", "names", "open"]);
  reload();
  await look();
  expect(asked).toEqual(["open", "names", "open", "open", "names"]);
});

test("a name that is not there is said with what is there", async () => {
  const wrong = { ...right, states: [{ of: "team ENG", names: ["Backlog", ...terminalStates] }] };
  const { look, facts } = surveyed({ vocabulary: async () => wrong });
  await look();
  const of = activeStates.map((name) => `no state is called "${name}" in team ENG; it has: Backlog`);
  expect(facts).toHaveLength(of.length);
  expect(facts[0]).toMatchObject({
    type: "warning",
    message: expect.stringMatching(`${of[0]}.* No issue can be taken\\.`) as string,
  });
});

test("what only people want to know waits for its share of the budget, and is asked for with the next scan", async () => {
  let may = false;
  const pacer = {
    pace: () => ({ everyMs: 1, why: null }),
    beginScan: () => true,
    beginRefresh: () => true,
    mayLook: () => null,
    maySurvey: () => may,
  };
  const { look, asked } = surveyed({ pacer });
  await look();
  expect(asked).toEqual([]);
  may = true;
  await look();
  expect(asked).toEqual(["open", "names"]);
});

test("a tracker that does not answer is asked again, and one that cannot be asked is not missed", async () => {
  const failing = surveyed({ countOpen: () => Promise.reject(new Error("no answer")) });
  await failing.look();
  expect([failing.news, failing.facts]).toEqual([[], []]);
  failing.clock.pass(10 * 60_000);
  await failing.look();
  const { look, news, facts } = recordedWithout();
  await look();
  expect([news, facts]).toEqual([[], []]);
});

function recordedWithout() {
  const { parts, news, facts } = recorded();
  const surveys = new Surveys({ ...parts, trackerFor: trackerWith({}) });
  return { look: () => surveys.look(W, never), news, facts };
}
