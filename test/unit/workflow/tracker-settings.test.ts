import { describe, expect, test } from "vitest";
import { errorOf, KEY, settingsOf, warningsOf, withTracker } from "./parsing.ts";

const tracker = (lines: string) => settingsOf(withTracker(lines)).tracker;

describe("kind", () => {
  test.each(["jira", "Linear", "liner", "''"])("%s is not supported", (kind) => {
    expect(errorOf(`---\ntracker: {kind: ${kind}, project_slug: a}\n---\n`).kind).toBe(
      "unsupported_tracker_kind",
    );
  });

  test("a near miss is asked back", () => {
    expect(errorOf("---\ntracker: {kind: Linaer, project_slug: a}\n---\n").message).toContain(
      "Did you mean `linear`?",
    );
  });
});

describe("states and labels", () => {
  test("lists and comma-separated strings mean the same (SPEC 5.3.1)", () => {
    const list = tracker("active_states: [Todo, ' Rework ', '', Todo]\nrequired_labels: [Agent, agent, BUG]");
    const text = tracker("active_states: Todo, Rework,\nrequired_labels: 'Agent , BUG'");
    expect(list.activeStates).toEqual(["Todo", "Rework"]);
    expect(list.requiredLabels).toEqual(["agent", "bug"]);
    expect([text.activeStates, text.requiredLabels]).toEqual([list.activeStates, list.requiredLabels]);
  });

  test.each(['[""]', '""', '["  "]'])(
    "a blank label (%s) is kept, since no issue has it, and said",
    (value) => {
      const text = withTracker(`required_labels: ${value}`);
      expect(settingsOf(text).tracker.requiredLabels).toEqual([""]);
      expect(warningsOf(text).join()).toContain("tracker.required_labels: holds a blank label");
    },
  );

  test("no active state at all is an error, no terminal state is a choice", () => {
    expect(errorOf(withTracker("active_states: []")).message).toContain("no issue would ever be taken");
    expect(tracker("terminal_states: ''").terminalStates).toEqual([]);
  });

  test("a state that is active and terminal is warned about", () => {
    expect(warningsOf(withTracker("active_states: [Todo, done]")).join()).toContain(
      '"done" is also a terminal state',
    );
  });

  test("anything else is refused", () => {
    expect(errorOf(withTracker("active_states: 3")).message).toContain(
      "a list of names or one comma-separated string",
    );
    expect(errorOf(withTracker("required_labels: [{a: 1}]")).message).toContain("tracker.required_labels");
  });
});

test.each(["required_labels", "active_states", "terminal_states"])(
  "a variable in tracker.%s is no variable, which is said with its place",
  (key) => {
    const text = withTracker(`${key}: [a, $WHICH]`);
    expect(warningsOf(text, { ...KEY, WHICH: "x" })).toEqual([
      expect.stringMatching(new RegExp(`^/repo/WORKFLOW\\.md:5:\\d+: tracker\\.${key}: .*"\\$WHICH".*`)),
    ]);
    expect(warningsOf(withTracker(`${key}: "a, \${WHICH}"`))).toEqual([expect.stringContaining("${WHICH}")]);
  },
);
