import { describe, expect, test } from "vitest";
import {
  threadConfig,
  threadName,
  threadResume,
  threadStart,
  turnStart,
} from "../../../../src/agent/codex/launch-options.ts";
import { turnSandbox } from "../../../../src/agent/codex/sandbox.ts";
import type { AgentTool } from "../../../../src/agent/port.ts";
import { threadId } from "../../../../src/domain/run.ts";
import { codexSettings, specWith } from "../heard.ts";

const tool: AgentTool = {
  name: "t",
  description: "d",
  inputSchema: { type: "object" },
  call: () => Promise.resolve({ ok: true, text: "" }),
};

describe("a thread", () => {
  test("is never asked for with a sandbox, which would make Codex trust the repository", () => {
    const spec = specWith({ resume: threadId("t"), codex: { threadSandbox: "danger-full-access" } });
    expect(threadStart(spec, {}, {})).not.toHaveProperty("sandbox");
    expect(threadResume(spec, {}, {})).not.toHaveProperty("sandbox");
  });

  test("is untrusted, sets no goals, waits for no network and notifies no program, also when resumed", () => {
    const spec = specWith({ workspace: "/ws", resume: threadId("t") });
    for (const { config } of [threadStart(spec, {}, {}), threadResume(spec, {}, {})]) {
      expect(config).toMatchObject({
        "features.goals": false,
        "features.unbounded_connection_retries": false,
        notify: [],
        projects: { "/ws": { trust_level: "untrusted" } },
      });
    }
  });

  test("gets tools when it is new; they stay with it", () => {
    const spec = specWith({ tools: [tool], resume: threadId("t") });
    const [offered] = [{ type: "function", name: "t", description: "d", inputSchema: { type: "object" } }];
    expect(threadStart(spec, {}, {})).toMatchObject({ dynamicTools: [offered] });
    expect(threadResume(spec, {}, {})).not.toHaveProperty("dynamicTools");
    expect(threadStart(specWith(), {}, {})).not.toHaveProperty("dynamicTools");
  });

  test("is resumed without its history", () => {
    const spec = specWith({ resume: threadId("t") });
    expect(threadResume(spec, {}, {})).toMatchObject({ threadId: "t", excludeTurns: true });
  });

  test("is named after its issue, on one line of bounded length", () => {
    expect(threadName(specWith({ identifier: "A-1", title: "Do\n  it" }))).toBe("A-1: Do it");
    expect(threadName(specWith({ title: "x".repeat(1000) }))).toHaveLength(200);
  });
});

describe("commands see of the environment", () => {
  const policy = (
    own: Record<string, unknown>,
    codex: Partial<typeof codexSettings> = {},
    env: Record<string, string> = {},
  ) => threadConfig(specWith({ codex }), own, env)["shell_environment_policy"];

  test("no name that looks like a secret, no provider's key, no variable of the tracker", () => {
    expect(policy({})).toEqual({
      ignore_default_excludes: false,
      exclude: ["OPENAI_API_KEY", "CODEX_API_KEY", "LINEAR_*"],
    });
  });

  test("nothing the user's own configuration hides, nor the keys of its providers", () => {
    const own = {
      shell_environment_policy: { exclude: ["MINE_*", "LINEAR_*"], ignore_default_excludes: null },
      model_providers: { a: { env_key: "A_LOGIN" }, b: { env_key: null }, c: null },
    };
    expect(policy(own)).toEqual({
      ignore_default_excludes: false,
      exclude: ["MINE_*", "LINEAR_*", "OPENAI_API_KEY", "CODEX_API_KEY", "A_LOGIN"],
    });
  });

  test("names that look like secrets only where the user's configuration says so", () => {
    expect(policy({ shell_environment_policy: { ignore_default_excludes: true } })).toMatchObject({
      ignore_default_excludes: true,
      exclude: expect.arrayContaining(["OPENAI_API_KEY"]),
    });
  });
});

describe("commands see what codex.env_pass names", () => {
  const policy = (own: Record<string, unknown>, codex: Partial<typeof codexSettings>) =>
    threadConfig(specWith({ codex }), own, {
      GH_TOKEN: "g",
      OPENAI_API_KEY: "o",
      CODEX_BIN: "/c",
      A_LOGIN: "a",
    })["shell_environment_policy"];

  test("by its value, whatever it is called and whatever Codex hides", () => {
    const envPass = ["GH_TOKEN", "OPENAI_API_KEY", "NOT_SET"];
    expect(policy({}, { envPass })).toEqual({
      ignore_default_excludes: false,
      exclude: ["CODEX_API_KEY", "LINEAR_*"],
      set: { GH_TOKEN: "g", OPENAI_API_KEY: "o" },
    });
  });

  test("through a list of the user's own that lets through nothing else", () => {
    const own = { shell_environment_policy: { include_only: ["PATH"] } };
    expect(policy(own, { envPass: ["GH_TOKEN"] })).toMatchObject({ include_only: ["PATH", "GH_TOKEN"] });
    expect(policy(own, {})).not.toHaveProperty("include_only");
  });

  test("and not what Codex alone is given: for its provider, or by its command", () => {
    const own = { model_providers: { a: { env_key: "A_LOGIN" } } };
    const codex = { command: "$CODEX_BIN $PATH app-server", envPass: ["A_LOGIN"], envProvider: ["GATEWAY"] };
    expect(policy(own, codex)).toEqual({
      ignore_default_excludes: false,
      exclude: ["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_BIN", "A_LOGIN", "GATEWAY", "LINEAR_*"],
    });
  });
});

describe("a turn", () => {
  test("carries what the workflow says, and nothing it does not say", () => {
    expect(turnStart(specWith({ workspace: "/ws" }), "t", { type: "readOnly" }, "hello")).toEqual({
      threadId: "t",
      input: [{ type: "text", text: "hello" }],
      cwd: "/ws",
      approvalPolicy: "never",
      sandboxPolicy: { type: "readOnly" },
    });
    const codex = { model: "m", reasoningEffort: "high", serviceTier: "fast" };
    expect(turnStart(specWith({ codex }), "t", {}, "")).toMatchObject({
      model: "m",
      effort: "high",
      serviceTier: "fast",
    });
  });
});

describe("the sandbox of a turn", () => {
  const sandbox = (more: Partial<typeof codexSettings>, own = {}, roots: readonly string[] = ["/ws/.git"]) =>
    turnSandbox({ ...codexSettings, ...more }, own, roots);
  const closed = { networkAccess: false, excludeTmpdirEnvVar: false, excludeSlashTmp: false };

  test("is spelt as a turn wants it", () => {
    expect(sandbox({ threadSandbox: "danger-full-access" })).toEqual({ type: "dangerFullAccess" });
    expect(sandbox({ threadSandbox: "read-only" })).toEqual({ type: "readOnly" });
    expect(sandbox({})).toEqual({ type: "workspaceWrite", writableRoots: ["/ws/.git"], ...closed });
    expect(sandbox({ threadSandbox: "new-mode" })).toEqual({ type: "new-mode" });
  });

  test("keeps what the user's configuration adds to workspace-write", () => {
    const own = { sandbox_workspace_write: { writable_roots: ["/cache"], network_access: true } };
    expect(sandbox({}, own)).toEqual({
      type: "workspaceWrite",
      ...closed,
      writableRoots: ["/cache", "/ws/.git"],
      networkAccess: true,
    });
  });

  test("is the workflow's own where it has one, with the git directory added once", () => {
    const turnSandboxPolicy = {
      type: "workspaceWrite",
      writableRoots: ["/x", "/ws/.git"],
      networkAccess: true,
    };
    expect(sandbox({ turnSandboxPolicy })).toEqual(turnSandboxPolicy);
    expect(sandbox({ turnSandboxPolicy: { type: "workspaceWrite" } })).toEqual({
      type: "workspaceWrite",
      writableRoots: ["/ws/.git"],
    });
  });

  test("opens no git directory where nothing is writable", () => {
    expect(sandbox({ turnSandboxPolicy: { type: "readOnly" } })).toEqual({ type: "readOnly" });
  });
});
