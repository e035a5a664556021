import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { issueFrom } from "../../../src/cli/issue-json.ts";
import type { Output } from "../../../src/terminal/output.ts";
import { validate } from "../../../src/cli/validate.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "baton-validate-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const secret = "lin_api_0123456789abcdef";

function file(
  name: string,
  more = "",
  prompt = "Work on {{ issue.identifier }}, try {{ attempt }}.",
  key = secret,
): string {
  const path = join(directory, name);
  writeFileSync(
    path,
    `---\ntracker: {kind: linear, api_key: ${key}, project_slug: web}\n${more}\n---\n${prompt}\n`,
  );
  return path;
}

async function validated(paths: readonly string[], options: Parameters<typeof validate>[1] = {}) {
  let text = "";
  const output: Output = {
    out: (line) => void (text += `${line}\n`),
    err: () => undefined,
    isTerminal: false,
    columns: 80,
  };
  return { code: await validate(paths, options, output), text };
}

describe("a good workflow", () => {
  it("is shown with its settings and its prompt, and exits 0", async () => {
    const path = file("WORKFLOW.md", "codex: {model: tiny}");
    const { code, text } = await validated([path]);
    expect(code).toBe(0);
    expect(text).toContain(`${path}: valid, with 1 warning\n`);
    expect(text).toContain("\nmodel       tiny\n");
    expect(text).toContain("\nproject     web\n");
    expect(text).toContain("Work on SAMPLE-1, try .");
  });

  it("never shows its key, as text or as JSON", async () => {
    const path = file("WORKFLOW.md");
    expect((await validated([path])).text).not.toContain(secret);
    const { text } = await validated([path], { json: true });
    expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject([
      { path, ok: true, problems: [], settings: { tracker: { project_slug: "web" } } },
    ]);
  });

  it("is rendered for the issue and the attempt that are asked for", async () => {
    const issueJson = join(directory, "issue.json");
    writeFileSync(issueJson, '{"identifier": "MT-9"}');
    const { text } = await validated([file("WORKFLOW.md")], { issueJson, attempt: 2 });
    expect(text).toContain(
      "--- prompt for MT-9 (24 characters) ---\nWork on MT-9, try 2.".replace("24", "20"),
    );
  });

  it("may have the name of another: that is for the one who starts both to know", async () => {
    const { code, text } = await validated([file("a.md", "name: same"), file("b.md", "name: same")]);
    expect(code).toBe(0);
    expect(text).toContain('name: "same" is also the name of');
  });

  it("is told that another keeps its workspaces in the same directory and reads with another key", async () => {
    const root = `name: NAME\nworkspace: {root: ${directory}/shared}`;
    const at = (name: string, key: string): string =>
      file(`${name}.md`, root.replace("NAME", name), "Do it.", key);
    const [one, same, other] = [at("a", secret), at("b", secret), at("c", `${secret}9`)];
    expect((await validated([one, same])).text).not.toContain("is also the root of");
    const { code, text } = await validated([one, other]);
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/c\.md: workspace\.root: .*is also the root of .*a\.md/s),
    ]);
    expect(text).not.toContain(secret);
  });
});

describe("a workflow that cannot be used", () => {
  it("exits 3 with every problem of every file and its place", async () => {
    const bad = file("bad.md", "agent: {max_turns: many}\npolling: {interval_ms: -1}");
    const { code, text } = await validated([bad, join(directory, "none.md"), file("good.md")]);
    expect(code).toBe(3);
    expect(text).toMatch(/bad\.md:3:\d+: agent\.max_turns: /);
    expect(text).toMatch(/bad\.md:4:\d+: polling\.interval_ms: /);
    expect(text).toContain("there is no such file");
    expect(text).toContain("good.md: valid");
  });

  it("is one whose prompt cannot be made; the place of it is in the JSON", async () => {
    const path = file("WORKFLOW.md", "", "One\n{{ issue.titel }}");
    const { code, text } = await validated([path], { json: true });
    expect(code).toBe(3);
    expect(JSON.parse(text)).toMatchObject([
      {
        ok: false,
        prompt: null,
        problems: [
          { kind: "template_render_error", line: 6, text: expect.stringContaining("issue.title") as string },
        ],
      },
    ]);
  });
});

it("warns of what fails for some tickets only, as `run` does", async () => {
  const { code, text } = await validated([file("WORKFLOW.md", "", "One {{ issue.labels.first }}")]);
  expect(code).toBe(0);
  expect(text).toContain("valid, with 2 warnings");
  expect(text).toContain("a ticket without labels has no prompt");
});

it("refuses what fails on a later run", async () => {
  const { code, text } = await validated([
    file("WORKFLOW.md", "", "{% if attempt %}{{ atempt }}{% endif %}"),
  ]);
  expect(code).toBe(3);
  expect(text).toContain("Did you mean `attempt`?");
});

describe("an issue from a file", () => {
  const written = (text: string): string => {
    const path = join(directory, "issue.json");
    writeFileSync(path, text);
    return path;
  };

  it("has the fields a template knows, each optional but the identifier", () => {
    const issue = issueFrom(
      written('{"identifier":"MT-1","branch_name":"b","created_at":"2031-05-09T08:00:00Z"}'),
    );
    expect(issue).toMatchObject({ identifier: "MT-1", branchName: "b", createdAt: Date.UTC(2031, 4, 9, 8) });
  });

  it.each(["{", "[]", '{"identifier": 3}', "{}"])("is refused with an example when it is %s", (text) => {
    expect(() => issueFrom(written(text))).toThrow(/"identifier": "MT-12"/);
  });
});
