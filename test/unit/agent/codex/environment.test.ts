import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentEnvironment } from "../../../../src/agent/codex/environment.ts";

const given = {
  PATH: "/bin",
  CODEX_HOME: "/codex",
  LC_ALL: "C",
  LINEAR_API_KEY: "lin",
  OPENAI_API_KEY: "sk-1",
  SSH_AUTH_SOCK: "/agent",
  RUST_LOG: "info",
  GH_TOKEN: "gh",
  COPY: "it holds lin_secret too",
};

const environment = (envPass: readonly string[], secrets: readonly string[] = []) =>
  agentEnvironment(given, { command: "codex", envPass, envProvider: [] }, secrets, "r1");

test("an agent gets the allow-list and the marks of its run, and no credential by itself", () => {
  expect(environment([])).toEqual({
    PATH: "/bin",
    CODEX_HOME: "/codex",
    LC_ALL: "C",
    BATON_RUN: "r1",
    BATON_AGENT: "r1",
  });
});

test("names that are passed on come along, but never the tracker's, by name or by value", () => {
  const names = ["OPENAI_API_KEY", "SSH_AUTH_SOCK", "GH_TOKEN", "LINEAR_API_KEY", "COPY", "NOT_SET"];
  expect(environment(names, ["lin_secret", ""])).toMatchObject({ OPENAI_API_KEY: "sk-1", GH_TOKEN: "gh" });
  expect(Object.keys(environment(names, ["lin_secret"]))).not.toContain("LINEAR_API_KEY");
  expect(Object.keys(environment(names, ["lin_secret"]))).not.toContain("COPY");
});

test("RUST_LOG never comes along, not even when it is passed on", () => {
  expect(Object.keys(environment(["RUST_LOG"]))).not.toContain("RUST_LOG");
});

test("what its command names comes along, and a tracker's key not even so", () => {
  const codex = { command: '"$CODEX_BIN" --x $COPY $LINEAR_API_KEY $NOT_SET', envPass: [], envProvider: [] };
  const env = agentEnvironment({ ...given, CODEX_BIN: "/c" }, codex, ["lin_secret"], "r1");
  expect(env).toEqual({ ...environment([]), CODEX_BIN: "/c" });
});

test("what only Codex needs comes along: by the workflow, and by the keys its own configuration names", () => {
  const home = mkdtempSync(join(tmpdir(), "baton-env-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const toml = `[model_providers.a]\nenv_key = "A_LOGIN"\n[model_providers]\nb = { env_key = 'B_LOGIN' }\n# env_key = "NO"\n`;
  writeFileSync(join(home, "config.toml"), toml);
  const all = { CODEX_HOME: home, A_LOGIN: "a", B_LOGIN: "b", NO: "n", GATEWAY: "g", OTHER: "o" };
  const codex = { command: "codex", envPass: [], envProvider: ["GATEWAY"] };
  const { BATON_RUN: _, BATON_AGENT: __, ...env } = agentEnvironment(all, codex, [], "r1");
  expect(env).toEqual({ CODEX_HOME: home, A_LOGIN: "a", B_LOGIN: "b", GATEWAY: "g" });
});
