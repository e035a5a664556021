import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { missingStrays, removeStrays } from "../../../../src/agent/codex/strays.ts";

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "strays-"));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

test("empty directories that were not there before are removed; nothing else is", () => {
  mkdirSync(join(workspace, ".codex"));
  const missing = missingStrays(workspace);
  for (const name of [".git", ".agents", ".other"]) mkdirSync(join(workspace, name));
  writeFileSync(join(workspace, ".agents", "skill"), "x");
  writeFileSync(join(workspace, ".aws"), "a file");
  removeStrays(missing);
  const left = [".git", ".agents", ".codex", ".aws", ".other"].filter((name) =>
    existsSync(join(workspace, name)),
  );
  expect(left).toEqual([".agents", ".codex", ".aws", ".other"]);
});

test("nothing is removed elsewhere when the workspace was swapped for a link", () => {
  const missing = missingStrays(workspace);
  const [away, elsewhere] = [`${workspace}.away`, mkdtempSync(join(tmpdir(), "strays-"))];
  mkdirSync(join(elsewhere, ".aws"));
  renameSync(workspace, away);
  symlinkSync(elsewhere, workspace);
  removeStrays(missing);
  const isThere = existsSync(join(elsewhere, ".aws"));
  for (const path of [away, elsewhere]) rmSync(path, { recursive: true });
  expect(isThere).toBe(true);
});
