import { describe, expect, test } from "vitest";
import { errorOf, settingsOf, warningsOf, withLines } from "./parsing.ts";

describe("YAML", () => {
  test("broken YAML names the line of the file, not of the front matter", () => {
    const error = errorOf("---\ntracker:\n  kind: [linear\npolling: {}\n---\n");
    expect(error.kind).toBe("workflow_parse_error");
    expect(error.message).toMatch(/^\/repo\/WORKFLOW\.md:[34]:\d+: /);
  });

  test("front matter that is no map has an error of its own", () => {
    for (const yaml of ["- a\n- b", "just text", "42"])
      expect(errorOf(`---\n${yaml}\n---\n`).kind).toBe("workflow_front_matter_not_a_map");
  });

  test("a key given twice is an error, because only one of the two could count", () => {
    const error = errorOf(withLines("agent:\n  max_turns: 1\n  max_turns: 2"));
    expect(error.kind).toBe("workflow_parse_error");
    expect(error.problems[0]?.place).toEqual({ line: 7, column: 3 });
  });

  test("an error never quotes the file, which may hold a key", () => {
    for (const line of [
      "api_key: lin_api_secret: x",
      'api_key: "lin_api_secret',
      "api_key: lin_api_secret\n  api_key: 2",
    ]) {
      const error = errorOf(`---\ntracker:\n  ${line}\n---\n`);
      expect(error.kind).toBe("workflow_parse_error");
      expect(error.message).not.toContain("lin_api_secret");
    }
  });

  test("alias bombs, deep nesting and huge files are errors, quickly", () => {
    const doublings = Array.from({ length: 12 }, (_, i) => `k${i + 1}: &k${i + 1} [*k${i}, *k${i}, *k${i}]`);
    const bomb = ["k0: &k0 [x, x]", ...doublings].join("\n");
    const deep = `x: ${"[".repeat(20_000)}`;
    const huge = withLines("", "x".repeat(300 * 1024));
    const long = withLines(`hooks:\n  before_run: ${"x".repeat(70 * 1024)}`);
    for (const text of [`---\n${bomb}\n---\n`, `---\n${deep}\n---\n`, huge, long])
      expect(errorOf(text).kind).toBe("workflow_parse_error");
  });

  test("keys that are a map's prototype or a constructor's name do no harm", () => {
    const text = withLines('"__proto__":\n  agent: {max_turns: 1}\nconstructor: 3\ntoString: 4');
    expect(settingsOf(text).agent.maxTurns).toBe(20);
    expect(warningsOf(text)).toHaveLength(3);
  });

  test("YAML's own warnings reach the reader", () => {
    expect(warningsOf(withLines("name: !odd x")).join()).toContain("/repo/WORKFLOW.md:5:7: Unresolved tag");
  });
});

test.each([
  "a: &a {b: *a}",
  "server: &s {port: *s}",
  "codex:\n  turn_sandbox_policy: &p {type: x, y: [*p]}",
  "? &a [*a]\n: x",
])("an alias inside of what it stands for is refused, with its place: %s", (lines) => {
  const error = errorOf(withLines(lines));
  expect(error.kind).toBe("workflow_parse_error");
  expect(error.message).toMatch(/WORKFLOW\.md:[56]:\d+: the alias `\*.` stands inside/);
});
