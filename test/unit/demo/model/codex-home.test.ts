import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { freshCodexHome, writeCodexHome } from "../../../../src/demo/model/model.ts";

afterEach(() => vi.unstubAllEnvs());
const modelUrl = "http://127.0.0.1:1/v1";

test("a fresh home lies outside the temporary directory, even when the cache does not", () => {
  vi.stubEnv("XDG_CACHE_HOME", mkdtempSync(join(tmpdir(), "baton-cache-")));
  const home = freshCodexHome({ modelUrl });
  expect(home.path.startsWith(tmpdir())).toBe(false);
  home.remove();
  home.remove();
  expect(existsSync(home.path)).toBe(false);
  rmSync(process.env["XDG_CACHE_HOME"] ?? "", { recursive: true });
});

test("a home whose maker is gone is removed by the next one", () => {
  const first = freshCodexHome({ modelUrl });
  // Beyond the largest pid Linux gives out.
  const orphan = join(dirname(first.path), "99999999-dead");
  mkdirSync(orphan);
  utimesSync(orphan, 0, 0);
  const second = freshCodexHome({ modelUrl });
  expect([existsSync(orphan), existsSync(first.path)]).toEqual([false, true]);
  first.remove();
  second.remove();
});

test("a home names the model, its retries and the key it is given, and leaves trust alone", () => {
  const path = mkdtempSync(join(tmpdir(), "baton-home-"));
  writeCodexHome(path, { modelUrl, streamRetries: 2, keyEnv: "MODEL_KEY", extra: "[x]\ny = 1\n" });
  const config = readFileSync(join(path, "config.toml"), "utf8");
  rmSync(path, { recursive: true });
  expect(config).toContain(`base_url = "${modelUrl}"`);
  expect(config).toContain("stream_max_retries = 2");
  expect(config).toContain('env_key = "MODEL_KEY"');
  expect(config).toMatch(/\[x\]\ny = 1\n$/);
  expect(config).not.toContain("projects");
  expect(config).not.toContain(homedir() + "/.codex");
});
