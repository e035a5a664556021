import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/exit.ts";
import { checkAgents, programOf } from "../../../src/cli/prerequisites.ts";
import type { Workflow } from "../../../src/domain/settings.ts";
import { settingsOf, withLines } from "../workflow/parsing.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "prerequisites-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const workflow = (command: string): Workflow => {
  const settings = settingsOf(withLines(""));
  return {
    path: "/w.md",
    text: "",
    hash: "",
    template: "",
    settings: { ...settings, codex: { ...settings.codex, command } },
  };
};
const env = () => ({ PATH: `${folder}:${process.env["PATH"]}`, HOME: folder });

test.each([
  ["codex app-server", "codex"],
  ["RUST_LOG=debug A=b /opt/codex app-server", "/opt/codex"],
  ["~/codex app-server", null],
  ["$(which codex) app-server", null],
  ["A=b", null],
])("of %j the program is %j", (command, program) => {
  expect(programOf(command)).toBe(program);
});

test("an agent that is nowhere is said at the start, with what to do", async () => {
  await expect(checkAgents([workflow("no-such-codex app-server")], env())).rejects.toMatchObject({
    code: EXIT.prerequisite,
    message: expect.stringContaining("npm install -g @openai/codex") as string,
  });
});

test("one that can be run is fine, one that only a shell understands is left to the shell", async () => {
  writeFileSync(join(folder, "my-codex"), "#!/bin/sh\n");
  chmodSync(join(folder, "my-codex"), 0o755);
  await checkAgents([workflow("my-codex app-server"), workflow("$(false) app-server")], env());
});

test("a file that nobody may run is no program", async () => {
  writeFileSync(join(folder, "my-codex"), "#!/bin/sh\n", { mode: 0o644 });
  await expect(checkAgents([workflow("my-codex")], env())).rejects.toMatchObject({ code: EXIT.prerequisite });
});
