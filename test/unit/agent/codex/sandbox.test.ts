import { describe, expect, test } from "vitest";
import { strings, turnSandbox } from "../../../../src/agent/codex/sandbox.ts";
import { codexSettings } from "../heard.ts";

const config = {
  sandbox_workspace_write: { writable_roots: ["/cache", 7], network_access: true, exclude_slash_tmp: "yes" },
};

describe("the sandbox of a turn", () => {
  test("has the user's own additions, read as what they are and not as what they look like", () => {
    expect(turnSandbox(codexSettings, config, [])).toEqual({
      type: "workspaceWrite",
      writableRoots: ["/cache"],
      networkAccess: true,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: false,
    });
  });

  test("takes the workflow's policy as it is written, with nothing of the user's", () => {
    const turnSandboxPolicy = { type: "workspaceWrite", networkAccess: false };
    expect(turnSandbox({ ...codexSettings, turnSandboxPolicy }, config, [])).toEqual(turnSandboxPolicy);
  });

  test("lets git write where anything may be written, each root once", () => {
    const roots = (settings: Partial<typeof codexSettings>): unknown =>
      turnSandbox({ ...codexSettings, ...settings }, config, ["/repo/.git", "/cache"])["writableRoots"];
    expect(roots({})).toEqual(["/cache", "/repo/.git"]);
    expect(roots({ threadSandbox: "read-only" })).toBeUndefined();
    expect(roots({ threadSandbox: "danger-full-access" })).toBeUndefined();
  });

  test("that nobody here knows is passed on, so that Codex can say so", () => {
    expect(turnSandbox({ ...codexSettings, threadSandbox: "brand-new" }, config, [])).toEqual({
      type: "brand-new",
    });
  });
});

test("of a list only its texts count, and what is no list is an empty one", () => {
  expect(strings(["a", 1, null, "b"])).toEqual(["a", "b"]);
  expect(strings("a")).toEqual([]);
});
