import { describe, expect, test } from "vitest";
import { ToolCalls, toolResult } from "../../../../src/agent/codex/tool-calls.ts";
import type { AgentTool, ToolAnswer } from "../../../../src/agent/port.ts";

const { signal } = new AbortController();
const tool = (call: AgentTool["call"]): AgentTool => ({ name: "t", description: "", inputSchema: {}, call });
const asked = { tool: "t", callId: "c", namespace: null, arguments: {} };

describe("tool calls", () => {
  test("run side by side up to a bound, and one more is told to wait", async () => {
    const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
    const calls = new ToolCalls([tool(() => promise)]);
    const running = Array.from({ length: 16 }, () => calls.answer(asked, signal));
    expect(await calls.answer(asked, signal)).toMatchObject({ ok: false });
    resolve({ ok: true, text: "" });
    expect((await Promise.all(running)).every(({ ok }) => ok)).toBe(true);
    expect(await calls.answer(asked, signal)).toMatchObject({ ok: true });
  });

  test("leave no trace of those that broke", async () => {
    const calls = new ToolCalls([tool(() => Promise.reject(new Error("broken")))]);
    for (let i = 0; i < 20; i++) {
      expect(await calls.answer(asked, signal)).toEqual({ ok: false, text: "The tool failed: broken" });
    }
  });

  test("of a tool in somebody else's namespace are not ours", async () => {
    const calls = new ToolCalls([tool(() => Promise.resolve({ ok: true, text: "" }))]);
    expect(await calls.answer({ ...asked, namespace: "other" }, signal)).toMatchObject({ ok: false });
    expect(await calls.answer({}, signal)).toMatchObject({ ok: false });
  });

  test("answer in the one shape Codex takes, of bounded length", () => {
    expect(toolResult({ ok: false, text: "no" })).toEqual({
      success: false,
      contentItems: [{ type: "inputText", text: "no" }],
    });
    const long = toolResult({ ok: true, text: "x".repeat(1_000_000) });
    expect(JSON.stringify(long).length).toBeLessThan(300_000);
  });
});
