import { describe, expect, test } from "vitest";
import { errorOf, parsed, settingsOf, warningsOf, withLines, workflowOf } from "./parsing.ts";

describe("cutting the file (SPEC 5.2)", () => {
  test("what stands between the first two --- lines is front matter, the rest is the prompt, trimmed", () => {
    const workflow = workflowOf(withLines("", "\n\n  Hello\n---\nstill prompt\n\n"));
    expect(workflow.template).toBe("Hello\n---\nstill prompt");
    expect(workflow.settings.tracker.projectSlug).toBe("web-1");
  });

  test("CRLF files and files with a byte order mark read the same", () => {
    const text = withLines("agent:\n  max_turns: 7");
    for (const variant of [text.replaceAll("\n", "\r\n"), `\uFEFF${text}`]) {
      const workflow = workflowOf(variant);
      expect(workflow.settings.agent.maxTurns).toBe(7);
      expect(workflow.template).toBe("Do it.");
    }
  });

  test("without front matter the whole file is prompt, and the settings are missing rather than unreadable", () => {
    const error = errorOf("Only a prompt");
    expect(error.kind).toBe("unsupported_tracker_kind");
    expect(error.message).toContain("tracker.kind");
  });

  test("an empty front matter is an empty map", () => {
    expect(errorOf("---\n---\nx").kind).toBe("unsupported_tracker_kind");
    expect(errorOf("---\n# only a comment\n---\nx").kind).toBe("unsupported_tracker_kind");
  });

  test("front matter that is never closed is an error at its first line", () => {
    const error = errorOf("---\ntracker:\n  kind: linear\n");
    expect(error.kind).toBe("workflow_parse_error");
    expect(error.message).toContain("/repo/WORKFLOW.md:1:1:");
    expect(error.message).toContain("never closed");
  });

  test("lines before the opening --- are pointed out instead of becoming a prompt", () => {
    expect(errorOf(`\n${withLines("")}`).message).toContain("very first line");
  });
});

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

  test("an empty key means the default, as if it were not there", () => {
    const settings = settingsOf(withLines("agent:\n  max_turns:\ncodex:\n  model:\nhooks:"));
    expect(settings.agent.maxTurns).toBe(20);
    expect(settings.codex.model).toBeNull();
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

test("the hash changes with every byte, and equal texts have equal hashes", () => {
  const [a, b, c] = ["x", "x", "x "].map((body) => parsed(withLines("", body)));
  if (!a?.ok || !b?.ok || !c?.ok) throw new Error("expected all to load");
  expect(a.workflow.hash).toBe(b.workflow.hash);
  expect(a.workflow.hash).not.toBe(c.workflow.hash);
  expect(a.workflow.hash).toMatch(/^[0-9a-f]{64}$/);
});

describe("a text made to take long", () => {
  test("of as many keys as there is room for is read in a time that grows with it, not with its square", () => {
    const read = (keys: number): number => {
      const lines = Array.from({ length: keys }, (_, n) => `k${n}:`).join("\n");
      const before = process.cpuUsage();
      expect(warningsOf(withLines(lines))).toHaveLength(51);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    read(500);
    const few = Math.min(read(1_000), read(1_000));
    expect(Math.min(read(8_000), read(8_000))).toBeLessThan(few * 8 * 4);
  });

  test("with a key twice says which and where, however it is spelled", () => {
    expect(errorOf(withLines("agent:\n  1: a\n  '1': b")).message).toContain(
      'WORKFLOW.md:7:3: the key "1" is there twice',
    );
    expect(errorOf(withLines("agent: {a: 1, b: [{c: 1, c: 2}]}")).message).toContain(
      'the key "c" is there twice',
    );
    expect(errorOf(withLines("tracker: {}")).message).toContain('WORKFLOW.md:5:1: the key "tracker"');
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

test("aliases of what stands elsewhere are taken", () => {
  expect(settingsOf(withLines("x: &states [Doing]\ncodex:\n  env_pass: *states")).codex.envPass).toEqual([
    "Doing",
  ]);
});
