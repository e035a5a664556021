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

  test("no message when it nests deeper than anything that is meant, however long it is", () => {
    const nested = (levels: number, filler = ""): string =>
      `{"method":"m","params":{"f":"${filler}","a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    for (const filler of ["", "x".repeat(1000), "[".repeat(3000)]) {
      expect(parseMessage(nested(900, filler)).kind).toBe("notification");
      expect(parseMessage(nested(1100, filler))).toMatchObject({ error: expect.stringContaining("deep") });
    }
    expect(parseMessage(nested(100_000)).kind).toBe("malformed");
    for (const filler of ['\\"[', "\\\\", '\\\\\\"[']) {
      expect(parseMessage(nested(900, filler.repeat(300))).kind).toBe("notification");
      expect(parseMessage(nested(1100, filler.repeat(300))).kind).toBe("malformed");
    }
    expect(parseMessage(`{"error":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`).kind).toBe("malformed");
  });

  test("no message when it has more parts than memory is for; a long text is one part", () => {
    const wide = (part: string, count: number): string =>
      `{"method":"m","params":{"a":[${part.repeat(count)}1]}}`;
    expect(parseMessage(wide("1,", 400_000)).kind).toBe("notification");
    expect(parseMessage(wide("{},", 5_000_000))).toMatchObject({ error: expect.stringContaining("parts") });
    expect(parseMessage(`{"method":"m","params":{"a":"${",{[".repeat(2_000_000)}"}}`).kind).toBe(
      "notification",
    );
    expect(parseMessage("[".repeat(10_000_000)).kind).toBe("malformed");
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
