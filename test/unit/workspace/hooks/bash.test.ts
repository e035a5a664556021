import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bashHooks } from "../../../../src/workspace/hooks/bash.ts";
import type { HookCall } from "../../../../src/workspace/hooks/port.ts";
import { whose } from "../../../whose.ts";

let path: string;
beforeEach(async () => {
  path = await realpath(await mkdtemp(join(tmpdir(), "baton-bash-")));
});
afterEach(() => rm(path, { recursive: true, force: true }));

const hooks = { afterCreate: null, beforeRun: null, afterRun: null, beforeRemove: null, timeoutMs: 20_000 };

const call = (
  script: string,
  more: { runId?: string | null; mark?: string | null; envPass?: string[] } = {},
): HookCall => ({
  hook: "before_run",
  script,
  path,
  cwd: path,
  of: {
    identifier: "MT-1",
    issueId: "id-1",
    runId: "run-1",
    mark: "mark-1",
    workspace: { root: "/", minFreeBytes: 0, maxBytes: null },
    hooks,
    ...whose,
    envPass: [],
    ...more,
  },
  signal: null,
});

const runIn = (environment: Record<string, string>, secrets: string[] = []) =>
  bashHooks({
    environment: { PATH: process.env["PATH"], HOME: path, ...environment },
    secrets: () => secrets,
  });

describe("a hook", () => {
  test("is run by a login bash in the workspace and knows whom it is for", async () => {
    const script = `shopt -q login_shell && pwd -P
      echo "$BATON_HOOK $BATON_ISSUE_ID $BATON_ISSUE_IDENTIFIER $BATON_RUN_ID $BATON_RUN" && echo "$BATON_WORKSPACE"`;
    expect(await runIn({})(call(script))).toEqual({
      ok: true,
      output: `${path}\nbefore_run id-1 MT-1 run-1 mark-1\n${path}`,
    });
  });

  test("has no mark of a run when it belongs to none", async () => {
    const script = `set -u; echo "[$BATON_RUN_ID] [\${BATON_RUN-none}]"`;
    expect(await runIn({})(call(script, { runId: null, mark: null }))).toEqual({
      ok: true,
      output: "[] [none]",
    });
  });

  test("sees none of the daemon's secrets, only what the workflow passes on", async () => {
    const environment = {
      LINEAR_API_KEY: "lin_api_1",
      OPENAI_API_KEY: "sk-1",
      MY_KEY: "lin_api_2",
      GITHUB_TOKEN: "ghp_1",
    };
    const run = runIn(environment, ["lin_api_2"]);
    const envPass = ["GITHUB_TOKEN", "MY_KEY", "LINEAR_API_KEY"];
    const { output } = await run(call("env", { envPass }));
    expect(output).toContain("GITHUB_TOKEN=ghp_1");
    expect(output).not.toMatch(/lin_api|sk-1|MY_KEY|LINEAR/);
  });

  test("sees what it names itself, and no other hook does", async () => {
    const run = runIn({ SOURCE_REPO_URL: "https://host/x", MY_KEY: "lin_api_2" }, ["lin_api_2"]);
    expect((await run(call('echo "$SOURCE_REPO_URL [$MY_KEY]"'))).output).toBe("https://host/x []");
    expect((await run(call("env"))).output).not.toContain("SOURCE_REPO_URL");
  });

  test("gets in where git does for the operator: by ssh, by askpass, through a proxy", async () => {
    const git = {
      SSH_AUTH_SOCK: "/agent",
      GIT_SSH_COMMAND: "ssh -i /key",
      GIT_ASKPASS: "/askpass",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "Ann",
      HTTPS_PROXY: "http://proxy",
      no_proxy: "here",
      SSL_CERT_FILE: "/certs",
    };
    const { output } = await runIn({ ...git, GIT_DIR: "/elsewhere" })(call("env"));
    for (const [name, value] of Object.entries(git)) expect(output).toContain(`${name}=${value}`);
    expect(output).not.toContain("GIT_DIR");
  });

  test.each([
    ["echo oh no >&2; exit 7", "hook_failed", "exited with code 7", "oh no"],
    ["kill -9 $$", "hook_failed", "was killed by SIGKILL", ""],
  ])("that ends badly says how: %s", async (script, kind, error, output) => {
    expect(await runIn({})(call(script))).toEqual({ ok: false, kind, error, output });
  });

  test("whose script is too long to be started says so", async () => {
    const outcome = await runIn({})(call(`: ${"x".repeat(200_000)}`));
    expect(outcome).toMatchObject({
      ok: false,
      kind: "hook_failed",
      error: expect.stringContaining("E2BIG"),
    });
  });
});

test("a hook that never began because the login profile waits is the shell's fault, and a slow hook its own", async () => {
  await writeFile(join(path, ".bash_profile"), "sleep 60\n");
  const environment = { HOME: path, PATH: process.env["PATH"] ?? "" };
  const run = bashHooks({ environment, secrets: () => [], shellMaxMs: 300 });
  const impatient = (script: string): HookCall => {
    const asked = call(script);
    return { ...asked, of: { ...asked.of, hooks: { ...hooks, timeoutMs: 300 } } };
  };
  expect(await run(impatient("echo hello"))).toMatchObject({
    ok: false,
    kind: "shell_timeout",
    error: expect.stringContaining("login shell"),
  });
  await writeFile(join(path, ".bash_profile"), "");
  const patient = bashHooks({ environment, secrets: () => [], shellMaxMs: 20_000 });
  expect(await patient(impatient("sleep 60"))).toMatchObject({ ok: false, kind: "hook_timeout" });
});
