import { describe, expect, test } from "vitest";
import { errorOf, KEY, settingsOf, warningsOf, withLines } from "./parsing.ts";

describe("paths", () => {
  const root = (value: string, env = {}) =>
    settingsOf(withLines(`workspace:\n  root: ${value}`), { ...KEY, ...env }).workspace.root;

  test("~ is home, $VAR and ${VAR} are variables, absolute paths stay", () => {
    expect(root("~/ws")).toBe("/home/ann/ws");
    expect(root("'~'")).toBe("/home/ann");
    expect(root("$WS", { WS: "/data/ws" })).toBe("/data/ws");
    expect(root("${BASE}/ws", { BASE: "/data" })).toBe("/data/ws");
    expect(root("/data/./x/../ws")).toBe("/data/ws");
  });

  test("relative paths and bare names count from the directory of the file, not of the process", () => {
    expect(root("../ws")).toBe("/ws");
    expect(root("ws")).toBe("/repo/ws");
    const ledger = settingsOf(withLines("ledger:\n  path: state/l.db")).ledger.path;
    expect(ledger).toBe("/repo/state/l.db");
  });

  test("a root that is only an unset variable means the default, and says so", () => {
    expect(root("$WS")).toBe("/var/tmp/symphony_workspaces");
    expect(warningsOf(withLines("workspace:\n  root: $WS")).join()).toContain("WS is not set");
  });

  test("a path with an unset variable inside is refused, as it would point somewhere else", () => {
    expect(errorOf(withLines("workspace:\n  root: $WS/x")).message).toContain(
      "6:9: workspace.root: the environment variable WS",
    );
    expect(errorOf(withLines("ledger:\n  path: $L")).message).toContain("ledger.path");
  });

  test("what no file system could take is refused", () => {
    for (const value of ["/a".repeat(3_000), '"/a\\0b"'])
      expect(errorOf(withLines(`workspace:\n  root: ${value}`)).message).toContain(
        "workspace.root: is no path",
      );
  });

  test.each(["/repo", "/", ".", "../repo"])(
    "a root of %s would let an agent rewrite this file, and is refused",
    (value) => {
      const error = errorOf(withLines(`workspace:\n  root: ${value}`));
      expect(error.kind).toBe("workflow_invalid");
      expect(error.message).toContain("contains this file");
    },
  );

  test("commands and hooks are kept as they are written: they are shell, not paths", () => {
    const { codex, hooks } = settingsOf(
      withLines(
        "codex:\n  command: ~/bin/codex $ARGS app-server\nhooks:\n  before_run: |\n    echo $HOME ~\n  after_run: ''",
      ),
    );
    expect(codex.command).toBe("~/bin/codex $ARGS app-server");
    expect(hooks.beforeRun).toBe("echo $HOME ~\n");
    expect(hooks.afterRun).toBeNull();
  });
});
