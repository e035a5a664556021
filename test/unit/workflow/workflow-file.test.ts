import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { promptTrial, WorkflowError, WorkflowFile } from "../../../src/workflow/workflow.ts";
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

  test("a save whose template cannot be used is a broken one, at the start and later", async () => {
    const trial = await promptTrial();
    const opened = (): WorkflowFile => new WorkflowFile(file, KEY, HOME, undefined, trial);
    save(withLines("", "Do {{ issue.title }}."));
    const workflow = opened();
    save(withLines("", "Do {{ issue.titel }}."));
    expect(workflow.reload()).toMatchObject({
      changed: true,
      loaded: { ok: false, error: { kind: "template_render_error" } },
    });
    expect(workflow.current().template).toContain("issue.title }}");
    expect(opened).toThrow(WorkflowError);
  });

  test("what its template fails by for some tickets is among its warnings, at the start and later", async () => {
    const trial = await promptTrial();
    save(withLines("", "Do {{ issue.labels.first }}."));
    const workflow = new WorkflowFile(file, KEY, HOME, undefined, trial);
    const warned = { ok: true, warnings: [expect.stringContaining("a ticket without labels")] };
    expect(workflow.loaded()).toMatchObject(warned);
    save(withLines("", "Do it: {{ issue.labels.first }}."));
    expect(workflow.reload()).toMatchObject({ changed: true, loaded: warned });
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
