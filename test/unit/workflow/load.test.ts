import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadWorkflow, readWorkflow } from "../../../src/workflow/load.ts";
import { errorOf, HOME, KEY, parsed, settingsOf, withLines } from "./parsing.ts";

let directory = "";
let file = "";
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "baton-load-"));
  file = path.join(directory, "nightly.md");
});
afterEach(() => rmSync(directory, { recursive: true }));

const save = (text: string) => writeFileSync(file, text);
const turns = (n: number) => withLines(`agent:\n  max_turns: ${n}`);

describe("loading from disk", () => {
  test("the name is the file's stem, the path is absolute, the hash is that of the file", () => {
    save(turns(3));
    const loaded = loadWorkflow(path.relative(process.cwd(), file), KEY, HOME);
    if (!loaded.ok) throw loaded.error;
    expect(loaded.workflow.settings.name).toBe("nightly");
    expect(loaded.workflow.path).toBe(file);
    expect(loaded.workflow.hash).toBe(createHash("sha256").update(turns(3)).digest("hex"));
    expect(loaded.workflow.text).toBe(turns(3));
  });

  test("a file that is not there, or is a directory, is a missing workflow file", () => {
    for (const [target, why] of [
      [path.join(directory, "none.md"), "no such file"],
      [path.join(directory, "nightly.md", "x"), "no such file"],
      [directory, "a directory"],
    ] as const) {
      const loaded = loadWorkflow(target, KEY, HOME);
      if (loaded.ok) throw new Error("expected an error");
      expect(loaded.error.kind).toBe("missing_workflow_file");
      expect(loaded.error.message).toContain(`${target}: `);
      expect(loaded.error.message).toContain(why);
    }
  });

  test("a pipe, a socket or a device is no workflow file, and is not waited for", () => {
    execFileSync("mkfifo", [file]);
    for (const target of [file, "/dev/zero"])
      expect(loadWorkflow(target, KEY, HOME)).toMatchObject({
        ok: false,
        error: { kind: "missing_workflow_file", message: expect.stringContaining("a pipe or a device") },
      });
  });

  test("a file that is not UTF-8, or too large, is a parse error", () => {
    writeFileSync(file, Buffer.from(`\uFEFF${turns(3)}`, "utf16le"));
    const utf16 = loadWorkflow(file, KEY, HOME);
    save("x".repeat(1_000_000));
    const large = loadWorkflow(file, KEY, HOME);
    for (const loaded of [utf16, large])
      expect(loaded).toMatchObject({ ok: false, error: { kind: "workflow_parse_error" } });
  });

  test("a file reached through a symlink still may not lie under its own workspace root", () => {
    const real = path.join(directory, "workspaces");
    mkdirSync(path.join(real, "MT-1"), { recursive: true });
    writeFileSync(path.join(real, "MT-1", "W.md"), withLines(`workspace:\n  root: ${real}`));
    symlinkSync(path.join(real, "MT-1"), path.join(directory, "link"));
    const loaded = loadWorkflow(path.join(directory, "link", "W.md"), KEY, HOME);
    if (loaded.ok) throw new Error("expected an error");
    expect(loaded.error.message).toContain("contains this file");
  });

  test("a workspace root beside the file is fine, also when it does not exist yet", () => {
    save(withLines("workspace:\n  root: nightly"));
    expect(loadWorkflow(file, KEY, HOME)).toMatchObject({
      ok: true,
      workflow: { settings: { workspace: { root: path.join(directory, "nightly") } } },
    });
  });
});

test("two looks at a file have the same state only when they saw the same", () => {
  const none = readWorkflow(file).state;
  expect(readWorkflow(file).state).toBe(none);
  save("a");
  const [a, again] = [readWorkflow(file), readWorkflow(file)];
  save("b");
  const b = readWorkflow(file);
  expect(again.state).toBe(a.state);
  expect(new Set([none, a.state, b.state]).size).toBe(3);
});

test("the hash changes with every byte, and equal texts have equal hashes", () => {
  const [a, b, c] = ["x", "x", "x "].map((body) => parsed(withLines("", body)));
  if (!a?.ok || !b?.ok || !c?.ok) throw new Error("expected all to load");
  expect(a.workflow.hash).toBe(b.workflow.hash);
  expect(a.workflow.hash).not.toBe(c.workflow.hash);
  expect(a.workflow.hash).toMatch(/^[0-9a-f]{64}$/);
});

test("an empty key means the default, as if it were not there", () => {
  const settings = settingsOf(withLines("agent:\n  max_turns:\ncodex:\n  model:\nhooks:"));
  expect(settings.agent.maxTurns).toBe(20);
  expect(settings.codex.model).toBeNull();
});

test("a value of the wrong shape does not hide what else is wrong: all of it is told at once", () => {
  const { problems } = errorOf(
    withLines(
      "agent:\n  max_turns: many\n  max_concurrent_agents: none\npolling: 3\nhooks:\n  timeout_ms: soon",
    ),
  );
  expect(problems.map(({ key }) => key)).toEqual([
    "agent.max_turns",
    "agent.max_concurrent_agents",
    "polling",
    "hooks.timeout_ms",
  ]);
});

test("a wrong value is shown, but not where an API key may stand", () => {
  expect(errorOf(withLines("agent:\n  max_turns: many")).message).toContain('got "many".');
  expect(errorOf(withLines("  api_key: [ours]")).message).toContain("got something else.");
});

test("where there is no file, what to start from is named by a path that exists", () => {
  const loaded = loadWorkflow("/nowhere/WORKFLOW.md", {}, "/");
  const named = loaded.ok ? "" : (/ready ones in (.+)\.$/.exec(loaded.error.message)?.[1] ?? "");
  expect(existsSync(path.join(named, "implement.md")), named).toBe(true);
});
