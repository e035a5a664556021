import { describe, expect, test } from "vitest";
import { OlderShapes } from "../../../../src/agent/codex/older.ts";

const translate = (method: string, params: Record<string, unknown>) =>
  new OlderShapes().translate(method, params);
const event = (msg: Record<string, unknown>) =>
  translate(`codex/event/${String(msg["type"])}`, { id: "u1", conversationId: "t1", msg });

describe("what older versions sent", () => {
  test("today's notices pass as they are", () => {
    expect(translate("turn/completed", { a: 1 })).toEqual([{ method: "turn/completed", params: { a: 1 } }]);
  });

  test.each([
    [
      "turn/failed",
      { threadId: "t", turn: { id: "u" }, error: { message: "no" } },
      "failed",
      { message: "no" },
    ],
    ["turn/failed", { threadId: "t", turnId: "u", message: "no" }, "failed", "no"],
    ["turn/cancelled", { threadId: "t", turnId: "u" }, "interrupted", null],
    ["turn/aborted", { threadId: "t", turn: { id: "u" }, reason: "x" }, "interrupted", "x"],
  ])("%s is a turn's end", (method, params, status, error) => {
    const [notice] = translate(method, params);
    expect(notice).toMatchObject({
      method: "turn/completed",
      params: { threadId: "t", turn: { id: "u", status, error } },
    });
  });

  test.each<[Record<string, unknown>, string, Record<string, unknown>]>([
    [{ type: "task_started" }, "turn/started", { threadId: "t1", turn: { id: "u1" } }],
    [
      { type: "task_complete", last_agent_message: "done" },
      "turn/completed",
      { turn: { id: "u1", status: "completed", items: [{ type: "agentMessage", text: "done" }] } },
    ],
    [{ type: "turn_aborted", reason: "interrupted" }, "turn/completed", { turn: { status: "interrupted" } }],
    [
      { type: "error", message: "no", codex_error_info: "usage_limit_exceeded" },
      "turn/completed",
      { turn: { status: "failed", error: { message: "no", codex_error_info: "usage_limit_exceeded" } } },
    ],
    [{ type: "stream_error", message: "again" }, "error", { willRetry: true, error: { message: "again" } }],
    [
      { type: "agent_message", message: "hi" },
      "item/completed",
      { item: { type: "agentMessage", text: "hi" } },
    ],
    [
      { type: "exec_command_begin", call_id: "c", command: ["ls", "-l"] },
      "item/started",
      { item: { type: "commandExecution", id: "c", command: "ls -l" } },
    ],
    [
      { type: "exec_command_end", call_id: "c", exit_code: 0, aggregated_output: "x" },
      "item/completed",
      { item: { id: "c", status: "completed", exitCode: 0 } },
    ],
  ])("%j is %s", (msg, method, params) => {
    expect(event(msg)).toEqual([expect.objectContaining({ method })]);
    expect(event(msg)[0]?.params).toMatchObject(params);
  });

  test("an event of usage is a report of tokens and one of limits", () => {
    const msg = { type: "token_count", info: { total_token_usage: {} }, rate_limits: { primary: {} } };
    expect(event(msg).map(({ method }) => method)).toEqual([
      "thread/tokenUsage/updated",
      "account/rateLimits/updated",
    ]);
  });

  test("an event that is not known is nothing", () => {
    expect(event({ type: "agent_message_delta" })).toEqual([]);
    expect(translate("codex/event", {})).toEqual([]);
  });

  test("a version that speaks both ways is heard in the new one only", () => {
    const older = new OlderShapes();
    const told = (method: string, msg = {}) => older.translate(method, { msg, turn: { id: "u" } }).length;
    expect(told("codex/event/task_started", { type: "task_started" })).toBe(1);
    expect(told("turn/started")).toBe(1);
    expect(told("codex/event/task_complete", { type: "task_complete" })).toBe(0);
    expect(told("turn/completed")).toBe(1);
  });
});
