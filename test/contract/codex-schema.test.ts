/** The judge of our messages must itself be right: it passes what the binary means and fails what it would ignore. */
import { describe, expect, test } from "vitest";
import { binary, realCodex } from "./codex-rig.ts";
import { lackedBy, protocolOf } from "./codex-rig-schema.ts";

describe.runIf(realCodex)("the binary's own schema", () => {
  const judge = protocolOf(binary);
  const lines = (...messages: readonly unknown[]): string =>
    messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  const turn = (params: Readonly<Record<string, unknown>>): string =>
    lines({ id: 1, method: "turn/start", params: { threadId: "t", input: [], ...params } });
  const asked = lines({ id: 7, method: "item/tool/call", params: {} });

  test("has all that is sent, and all notices that are read", () => {
    expect(lackedBy(binary)).toEqual([]);
  });

  test("accepts the messages of a session", () => {
    const dynamicTools = [{ type: "function", name: "t", description: "d", inputSchema: { type: "object" } }];
    const sent = lines(
      {
        id: "a",
        method: "initialize",
        params: { clientInfo: { name: "n", version: "1" }, capabilities: { experimentalApi: true } },
      },
      { method: "initialized" },
      {
        id: 2,
        method: "thread/start",
        params: { cwd: "/w", approvalPolicy: "never", dynamicTools, config: { any: { thing: 1 } } },
      },
      { id: 3, method: "turn/interrupt", params: { threadId: "t", turnId: "u" } },
      { id: 7, result: { success: true, contentItems: [{ type: "inputText", text: "x" }] } },
    );
    expect(judge(sent, asked)).toEqual([]);
    expect(judge(turn({ sandboxPolicy: { type: "workspaceWrite", networkAccess: false } }), "")).toEqual([]);
  });

  test.for([
    ["a field nobody reads", turn({ title: "ABC-1" })],
    ["a sandbox policy of an older protocol", turn({ sandboxPolicy: { mode: "workspace-write" } })],
    ["an unknown field inside a policy", turn({ sandboxPolicy: { type: "workspaceWrite", roots: [] } })],
    ["an unknown method", lines({ id: 1, method: "thread/rollback", params: {} })],
    ["a request without parameters", lines({ id: 1, method: "thread/list" })],
    ["an unknown notice", lines({ method: "cancelled" })],
    ["an answer of the wrong shape", lines({ id: 7, result: { success: true, output: "x" } })],
    ["an answer nobody asked for", lines({ id: 8, result: {} })],
  ] as const)("rejects %s", ([, sent]) => {
    expect(judge(sent, asked)).toHaveLength(1);
  });
});
