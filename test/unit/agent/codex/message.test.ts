import { describe, expect, test } from "vitest";
import { isDelta, isDeltaLine, parseMessage } from "../../../../src/agent/codex/message.ts";

const seen = (line: string): boolean => {
  const padded = Buffer.from(`before${line}after`);
  return isDeltaLine(padded, 6, padded.length - 5);
};

describe("a piece of streamed text is known by its bytes", () => {
  test.each([
    "item/agentMessage/delta",
    "item/plan/delta",
    "item/reasoning/textDelta",
    "item/reasoning/summaryTextDelta",
    "item/commandExecution/outputDelta",
    "command/exec/outputDelta",
    "process/outputDelta",
  ])("%s", (method) => {
    expect(seen(`{"method":"${method}","params":{"delta":"x"},"emittedAtMs":1}`)).toBe(true);
    expect(isDelta(method)).toBe(true);
  });

  test.each([
    '{"method":"turn/completed","params":{"text":"/delta\\""}}',
    '{"method":"item/deltas","params":{}}',
    '{"id":1,"method":"item/x/delta","params":{}}',
    '{"method":"item/x/delta","id":1,"params":{}}',
    '{ "method":"item/x/delta"}',
    '{"method":"delta',
    '{"method":"',
    "{}",
    "",
    `{"method":"${"x".repeat(200)}/delta"}`,
  ])("but not %s", (line) => {
    expect(seen(line)).toBe(false);
  });
});

describe("a line is read as", () => {
  test("an answer, with ids of either type", () => {
    expect(parseMessage('{"id":7,"result":{"a":1}}')).toEqual({ kind: "result", id: 7, result: { a: 1 } });
    expect(parseMessage('{"result":null,"id":"x"}')).toEqual({ kind: "result", id: "x", result: null });
  });

  test("a refusal, with what it says", () => {
    const fault = { code: -32600, message: "no", data: { a: 1 } };
    expect(parseMessage(JSON.stringify({ error: fault, id: 7 }))).toEqual({ kind: "fault", id: 7, fault });
    expect(parseMessage('{"error":{"code":1},"id":null}')).toMatchObject({ kind: "fault", id: null });
  });

  test("a request or a notice, whose missing params are empty", () => {
    expect(parseMessage('{"method":"m","id":0,"params":{"a":1}}')).toEqual({
      kind: "request",
      id: 0,
      method: "m",
      params: { a: 1 },
    });
    expect(parseMessage('{"method":"m"}')).toEqual({ kind: "notification", method: "m", params: {} });
  });

  test.each(["", "hello", "[]", "null", "7", "{}", '{"id":1}', '{"method":"m","id":{}}', '{"id":1,"result'])(
    "malformed, and never thrown: %s",
    (line) => expect(parseMessage(line).kind).toBe("malformed"),
  );
});
