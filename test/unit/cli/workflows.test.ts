import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CliError, EXIT } from "../../../src/cli/exit.ts";
import { ledgerPath, loadFiles } from "../../../src/cli/workflows.ts";
import { promptTrial } from "../../../src/workflow/workflow.ts";

const trial = await promptTrial();

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "workflows-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, front: string, body = "Do it."): string {
  const path = join(folder, name);
  writeFileSync(path, `---\n${front}\n---\n${body}\n`);
  return path;
}

function refused(...paths: readonly string[]): CliError {
  try {
    loadFiles(paths, trial);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const tracker = (key: string): string => `tracker: {kind: linear, project_slug: demo, api_key: ${key}}`;

test("the problems of all files are told at once", () => {
  const error = refused(file("a.md", "tracker: ["), file("b.md", "agent: 3"));
  expect(error.code).toBe(EXIT.configuration);
  expect(error.message).toContain("a.md");
  expect(error.message).toContain("b.md");
});

test("a key that this machine does not have is no fault of the file", () => {
  expect(refused(file("a.md", tracker("$NOBODY_SETS_THIS"))).code).toBe(EXIT.prerequisite);
});

test("two workflows of one name are refused, with both files", () => {
  const error = refused(
    file("a.md", `name: same\n${tracker("lin_api_test")}`),
    file("b.md", `name: same\n${tracker("lin_api_test")}`),
  );
  expect(error.code).toBe(EXIT.configuration);
  expect(error.message).toMatch(/b\.md.*"same" is also the name of .*a\.md/s);
});

test("the ledger is beside the workflow", () => {
  const { files } = loadFiles([file("a.md", tracker("lin_api_test"))], trial);
  expect(files.map((one) => ledgerPath(one.current()))).toEqual([join(folder, ".baton", "ledger.db")]);
});

test("a template that no prompt can be made of is refused before anything starts, as `validate` refuses it", () => {
  const error = refused(file("a.md", tracker("lin_api_test"), "Do {{ issue.titel }}."));
  expect(error.code).toBe(EXIT.configuration);
  expect(error.message).toMatch(/a\.md:4:\d+: prompt template: .*issue\.titel.*`issue\.title`/);
});
