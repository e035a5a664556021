import { expect, test } from "vitest";
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

const environment = (pass: readonly string[], secrets: readonly string[] = []) =>
  agentEnvironment(given, pass, secrets, "r1");

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
