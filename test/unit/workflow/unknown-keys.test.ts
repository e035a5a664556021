import { describe, expect, test } from "vitest";
import { errorOf, settingsOf, warningsOf, withLines, withTracker } from "./parsing.ts";

describe("a slip in a key that says which issues are taken is refused, with the key that was meant", () => {
  test.each([
    ["tracker", "required_label: [agent]", "tracker.required_labels"],
    ["tracker", "requiredlabels: [agent]", "tracker.required_labels"],
    ["tracker", "labels: [agent]", "tracker.required_labels"],
    ["tracker", "active_state: Todo", "tracker.active_states"],
    ["tracker", "states: [Todo]", "tracker.active_states"],
    ["tracker", "asignee: me", "tracker.assignee"],
    ["tracker", "provider: {asignee: me}", "tracker.assignee"],
    ["tracker", "provider: {required_labels: [agent]}", "tracker.required_labels"],
    ["root", "required_labels: [agent]", "tracker.required_labels"],
    ["root", "tracker.required_labels: [agent]", "tracker.required_labels"],
    ["root", "polling: {required_labels: [agent]}", "tracker.required_labels"],
  ])("in %s: %s", (where, line, meant) => {
    const text = where === "root" ? withLines(line) : withTracker(line);
    expect(errorOf(text).message).toContain(`unknown key. Did you mean \`${meant}\`?`);
  });
});

describe("other unknown keys are passed over and named, never refused (SPEC 5.3)", () => {
  test.each([
    ["agents: {}", "5:1: agents: unknown key, ignored. Did you mean `agent`?"],
    ["agent:\n  max_turn: 3", "6:3: agent.max_turn: unknown key, ignored. Did you mean `agent.max_turns`?"],
    ["agent:\n  max-turns: 3", "Did you mean `agent.max_turns`?"],
    ["codex:\n  max_turns: 3", "codex.max_turns: unknown key, ignored. Did you mean `agent.max_turns`?"],
    ["stall_timeout_ms: 3", "Did you mean `codex.stall_timeout_ms`?"],
    ["agent.max_turns: 3", "Write `max_turns:` on a line of its own under `agent:`."],
    ["workspace:\n  min_free_byte: 3", "Did you mean `workspace.min_free_bytes`?"],
    ["rescues: {}", "Did you mean `rescue`?"],
    ["pineapple: 3", "5:1: pineapple: unknown key, ignored."],
  ])("%s", (lines, warning) => {
    const [only, ...others] = warningsOf(withLines(lines));
    expect(others).toEqual([]);
    expect(only).toContain(warning);
  });

  test("keys of the nested Linear form are checked too", () => {
    expect(warningsOf(withTracker("provider:\n  endpont: x")).join()).toContain(
      "Did you mean `tracker.provider.endpoint`?",
    );
  });

  test("settings of other programs are said to be that, not called slips", () => {
    const text = withLines(
      "worker:\n  ssh_hosts: [a]\nobservability: {refresh_ms: 1}\ncodex:\n  attach_worktree_owner: true",
    );
    const warnings = warningsOf(text);
    expect(warnings).toHaveLength(3);
    for (const warning of warnings) expect(warning).toContain("another program");
    expect(settingsOf(text).agent.maxTurns).toBe(20);
  });

  test("a file full of unknown keys does not flood the log", () => {
    const lines = Array.from({ length: 200 }, (_, i) => `zz${i}: 1`).join("\n");
    const warnings = warningsOf(withLines(lines));
    expect(warnings).toHaveLength(51);
    expect(warnings.at(-1)).toContain("150 more warnings");
  });
});
