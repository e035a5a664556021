import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadWorkflow, WorkflowError, WorkflowFile } from "../../../src/workflow/workflow.ts";
import { HOME, KEY, withLines } from "./parsing.ts";

let directory = "";
let file = "";
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "baton-workflow-"));
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

describe("reloading (SPEC 6.2)", () => {
  test("a changed file becomes the current workflow", () => {
    save(turns(3));
    const workflow = new WorkflowFile(file, KEY, HOME);
    expect(workflow.reload().changed).toBe(false);
    save(turns(4));
    expect(workflow.reload()).toMatchObject({ changed: true, loaded: { ok: true } });
    expect(workflow.current().settings.agent.maxTurns).toBe(4);
    expect(workflow.reload().changed).toBe(false);
  });

  test("a broken save is news once, and the last good version stays in force", () => {
    save(turns(3));
    const workflow = new WorkflowFile(file, KEY, HOME);
    save("---\n- broken");
    const first = workflow.reload();
    expect(first).toMatchObject({
      changed: true,
      loaded: { ok: false, error: { kind: "workflow_parse_error" } },
    });
    expect(workflow.reload()).toEqual({ changed: false, loaded: first.loaded });
    expect(workflow.current().settings.agent.maxTurns).toBe(3);
  });

  test("going back to the good text is news too, so that the error can be taken down", () => {
    save(turns(3));
    const workflow = new WorkflowFile(file, KEY, HOME);
    save("---\n- broken");
    workflow.reload();
    save(turns(3));
    expect(workflow.reload()).toMatchObject({ changed: true, loaded: { ok: true } });
  });

  test("a deleted file is news, its return as well", () => {
    save(turns(3));
    const workflow = new WorkflowFile(file, KEY, HOME);
    renameSync(file, `${file}.old`);
    expect(workflow.reload()).toMatchObject({
      changed: true,
      loaded: { ok: false, error: { kind: "missing_workflow_file" } },
    });
    expect(workflow.reload().changed).toBe(false);
    renameSync(`${file}.old`, file);
    expect(workflow.reload()).toMatchObject({ changed: true, loaded: { ok: true } });
  });

  test("another reason why the file cannot be read is news", () => {
    save(turns(3));
    const workflow = new WorkflowFile(file, KEY, HOME);
    rmSync(file);
    expect(workflow.reload()).toMatchObject({ changed: true, loaded: { ok: false } });
    mkdirSync(file);
    const { changed, loaded } = workflow.reload();
    expect([changed, loaded.ok ? "" : loaded.error.message]).toEqual([
      true,
      expect.stringContaining("this is a directory"),
    ]);
  });

  test("a file that cannot be used is refused at the start", () => {
    save("nothing");
    expect(() => new WorkflowFile(file, KEY, HOME)).toThrow(WorkflowError);
  });

  test("a running workflow keeps its name: a reload under another one is refused and the old settings stay", () => {
    save(withLines("name: first"));
    const workflow = new WorkflowFile(file, KEY, HOME);
    save(withLines("name: second"));
    const { changed, loaded } = workflow.reload();
    expect(changed).toBe(true);
    expect(loaded.ok ? "" : loaded.error.message).toContain('name: it was "first"');
    expect(workflow.current().settings.name).toBe("first");
  });
});
