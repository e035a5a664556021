import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findCodex, sandboxProblem } from "../../../src/demo/codex-binary.ts";

const root = mkdtempSync(join(tmpdir(), "baton-codex-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A directory for PATH with a program named codex in it. */
function withCodex(name: string, script: string): string {
  const directory = join(root, name);
  mkdirSync(directory);
  writeFileSync(join(directory, "codex"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return directory;
}

test("without one of its own, the demo takes the codex on PATH", async () => {
  const directory = withCodex("good", "echo codex-cli 0.170.1");
  const codex = await findCodex({ PATH: `/nowhere:${directory}` }, null);
  expect(codex).toEqual({ path: join(directory, "codex"), version: "0.170.1" });
});

test("where there is no codex, the person is told how to install it", async () => {
  await expect(findCodex({ PATH: "/nowhere" }, null)).rejects.toMatchObject({
    kind: "prerequisite",
    message: expect.stringContaining("npm install -g @openai/codex"),
  });
});

test("a codex that does not run is named with its reason", async () => {
  const directory = withCodex("broken", "echo no such library >&2; exit 1");
  await expect(findCodex({ PATH: directory }, null)).rejects.toMatchObject({
    kind: "prerequisite",
    message: expect.stringMatching(/broken\/codex does not run: .*no such library/s),
  });
});

test("a sandbox that does not work is known by what codex said last", async () => {
  const works = { path: join(withCodex("works", "exit 0"), "codex"), version: "1" };
  const fails = {
    path: join(withCodex("fails", "echo; echo bwrap: not permitted >&2; exit 1"), "codex"),
    version: "1",
  };
  expect(await sandboxProblem(works, root, root)).toBeNull();
  expect(await sandboxProblem(fails, root, root)).toBe("bwrap: not permitted");
});
