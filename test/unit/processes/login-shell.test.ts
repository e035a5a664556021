import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loginShellMs } from "../../../src/processes/processes.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "login-shell-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const shell = () => ({ cwd: home, env: { HOME: home, PATH: process.env["PATH"] ?? "" } });

test("a login shell that begins says how long that took; one whose profile waits does not come back", async () => {
  expect(await loginShellMs(shell(), 20_000)).toBeGreaterThan(0);
  writeFileSync(join(home, ".bash_profile"), "sleep 60\n");
  expect(await loginShellMs(shell(), 300)).toBeNull();
});
