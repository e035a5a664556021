/** What a person sees who starts Baton with something missing or wrong: one clear message and the right exit code. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fastStart, program as programOf } from "../programs.ts";

const program = programOf("src/main.ts");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bad-start-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface End {
  readonly code: number;
  readonly said: string;
}

const baton = (
  args: readonly string[],
  env: Record<string, string> = { LINEAR_API_KEY: "lin_api_test_key_1" },
) =>
  new Promise<End>((resolve) => {
    const base = { PATH: process.env["PATH"], HOME: folder, ...fastStart };
    execFile(
      process.execPath,
      [program, ...args],
      { cwd: folder, env: { ...base, ...env } },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, said: stdout + stderr }),
    );
  });

const workflow = (front: string): void =>
  writeFileSync(join(folder, "WORKFLOW.md"), `---\n${front}\n---\nWork on {{ issue.identifier }}.\n`);

const good = "tracker: {kind: linear, project_slug: demo, endpoint: 'http://127.0.0.1:9/graphql'}";

test("no WORKFLOW.md: configuration, with the place that was looked at", async () => {
  const { code, said } = await baton(["run"]);
  expect(code).toBe(3);
  expect(said).toContain(join(folder, "WORKFLOW.md"));
});

test("broken YAML: configuration, with line and column", async () => {
  workflow("tracker: [");
  const { code, said } = await baton(["run"]);
  expect(code).toBe(3);
  expect(said).toMatch(/WORKFLOW\.md:\d+:\d+: /);
});

test("every wrong value is named at once, with its key", async () => {
  workflow(`${good}\nagent: {max_turns: many}\npolling: {interval_ms: -3}`);
  const { code, said } = await baton(["run"]);
  expect(code).toBe(3);
  expect(said).toContain("agent.max_turns");
  expect(said).toContain("polling.interval_ms");
});

test("a template with an unknown variable: configuration, as `validate` says, with the line and the right name", async () => {
  writeFileSync(join(folder, "WORKFLOW.md"), `---\n${good}\n---\nDo {{ issue.titel }}.\n`);
  for (const command of ["validate", "run"]) {
    const { code, said } = await baton([command]);
    expect(code).toBe(3);
    expect(said.replace(/\s+/g, " ")).toMatch(/4:7.*issue\.titel.*Did you mean `issue\.title`\?/);
  }
});

test("no key: a prerequisite, naming the variable and never showing a key", async () => {
  workflow(good);
  const { code, said } = await baton(["run"], {});
  expect(code).toBe(5);
  expect(said).toContain("LINEAR_API_KEY");
});

test("no project: configuration", async () => {
  workflow("tracker: {kind: linear}");
  const { code, said } = await baton(["run"]);
  expect(code).toBe(3);
  expect(said).toContain("tracker.project_slug");
});

test("a tracker that is not supported: configuration, naming what is", async () => {
  workflow("tracker: {kind: jira, project_slug: demo}");
  const { code, said } = await baton(["run"]);
  expect(code).toBe(3);
  expect(said).toContain("linear");
});

test("no codex: a prerequisite, with how to get it", async () => {
  workflow(`${good}\ncodex: {command: no-such-codex app-server}`);
  const { code, said } = await baton(["run"]);
  expect(code).toBe(5);
  expect(said).toContain('"no-such-codex"');
  expect(said).toContain("npm install -g @openai/codex");
});

test("two workflows of one name: configuration, naming both files", async () => {
  workflow(`name: same\n${good}`);
  writeFileSync(join(folder, "other.md"), `---\nname: same\n${good}\n---\nx\n`);
  const { code, said } = await baton(["run", "WORKFLOW.md", "other.md"]);
  expect(code).toBe(3);
  expect(said).toContain("other.md");
  expect(said).toContain(join(folder, "WORKFLOW.md"));
});

test("an unknown command or option: usage, with where to find help", async () => {
  for (const args of [
    ["run", "--wings"],
    ["pause", "--for", "soon"],
  ]) {
    const { code, said } = await baton(args);
    expect(code).toBe(2);
    expect(said).toContain("--help");
  }
});
