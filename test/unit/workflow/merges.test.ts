import { expect, test } from "vitest";
import { errorOf, settingsOf, warningsOf, withLines } from "./parsing.ts";

const BASE = "base: &base {required_labels: [Agent], active_states: [Todo]}";
const withMerge = (lines: string): string => `---\n${BASE}\n${lines}\n---\nDo it.\n`;
const TRACKER = "kind: linear, project_slug: web-1";

test("what a map takes in by `<<` counts as if it stood there: a filter is in force", () => {
  const text = withMerge(`tracker: {<<: *base, ${TRACKER}}`);
  expect(settingsOf(text).tracker.requiredLabels).toEqual(["agent"]);
  expect(warningsOf(text).filter((warning) => warning.includes("<<"))).toEqual([]);
});

test("what stands there itself counts before what is taken in, and the first of several before the others", () => {
  const other = "other: &other {required_labels: [x], terminal_states: [Done]}";
  const { tracker } = settingsOf(
    withMerge(`${other}\ntracker: {active_states: [Doing], <<: [*base, *other], ${TRACKER}}`),
  );
  expect(tracker).toMatchObject({
    requiredLabels: ["agent"],
    activeStates: ["Doing"],
    terminalStates: ["Done"],
  });
});

test("a slip in what is taken in is found, and its place is the one where it is written", () => {
  const bad = "---\nbase: &base\n  max_turns: none\nagent:\n  <<: *base\n---\n";
  expect(errorOf(bad).message).toContain("/repo/WORKFLOW.md:3:14: agent.max_turns: ");
  const misspelt = `---\nbase: &base {required_label: x}\ntracker: {<<: *base, ${TRACKER}}\n---\n`;
  expect(errorOf(misspelt).message).toContain("Did you mean `tracker.required_labels`?");
});

test.each([
  ["text", "agent: {<<: x}", "what `<<` takes in must be a map"],
  ["a list of text", "agent: {<<: [*base, x]}", "what `<<` takes in must be a map"],
  ["an alias of a list", "l: &l [1]\nagent: {<<: *l}", "what `<<` takes in must be a map"],
  ["twice", "agent:\n  <<: *base\n  <<: *base", 'the key "<<" is there twice'],
])("a merge of %s is refused with its place", (_, lines, text) => {
  const error = errorOf(withLines(`${BASE}\n${lines}`));
  expect(error.kind).toBe("workflow_parse_error");
  expect(error.message).toContain(text);
  expect(error.problems[0]?.place?.line).toBeGreaterThan(5);
});

test("merges that grow with each step are refused at once, and so are many small ones", () => {
  const steps = Array.from(
    { length: 1_000 },
    (_, n) => `k${n + 1}: &k${n + 1} {<<: [*k${n}, *k${n}, *k${n}]}`,
  );
  const before = process.cpuUsage().user;
  expect(errorOf(`---\n${["k0: &k0 {a: 1}", ...steps].join("\n")}\n---\n`).message).toContain(
    "takes in more than",
  );
  const many = Array.from({ length: 4_000 }, () => "{<<: *base}").join(", ");
  expect(errorOf(withLines(`${BASE}\nx: [${many}]`)).message).toContain("takes in more than");
  const some = Array.from({ length: 99 }, () => "{<<: *base}").join(", ");
  expect(settingsOf(withLines(`${BASE}\nx: [${some}]`)).tracker.requiredLabels).toEqual([]);
  expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
});
