import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Rpc, type Answer } from "../../../../src/agent/codex/rpc.ts";
import { fieldsOf, type Fields } from "../../../../src/agent/codex/message.ts";

function open() {
  const written: Fields[] = [];
  const heard: string[] = [];
  const writes: string[] = [];
  const send = (lines: string): void => {
    writes.push(lines);
    written.push(...lines.split("\n").map((line) => fieldsOf(JSON.parse(line))));
  };
  const rpc = new Rpc(send, {
    delta: () => heard.push("delta"),
    notified: (method) => heard.push(method),
    asked: (id, method) => heard.push(`asked ${JSON.stringify(id)} ${method}`),
    malformed: (error, line) => heard.push(`malformed ${error}: ${line}`),
    unclaimed: (id) => heard.push(`unclaimed ${id}`),
  });
  const ask = (method: string, timeoutMs = 1000): void =>
    rpc.request(method, {}, timeoutMs, (answer) => heard.push(`${method} ${outcome(answer)}`));
  const receive = (...messages: readonly unknown[]): void =>
    rpc.push(Buffer.from(messages.map((one) => `${JSON.stringify(one)}\n`).join("")));
  return { rpc, written, writes, heard, ask, receive };
}

const outcome = (answer: Answer): string => (answer.ok ? "ok" : answer.cause);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("rpc", () => {
  test("matches answers to requests in any order", () => {
    const { ask, heard, receive, written } = open();
    ask("a");
    ask("b");
    expect(written).toEqual([
      { id: 1, method: "a", params: {} },
      { id: 2, method: "b", params: {} },
    ]);
    receive({ id: 2, result: {} }, { id: 1, error: { code: 1, message: "no" } });
    expect(heard).toEqual(["b ok", "a refused"]);
  });

  test("what one read is answered with goes out in one write, and at once; what nobody asked for does not wait", () => {
    const { rpc, ask, receive, writes } = open();
    rpc.request("initialize", {}, 1000, () => {
      rpc.notify("initialized");
      rpc.request("config/read", {}, 1000, () => {});
    });
    expect(writes).toHaveLength(1);
    receive({ id: 1, result: {} });
    expect(writes.slice(1)).toEqual([
      '{"method":"initialized"}\n{"id":2,"method":"config/read","params":{}}',
    ]);
    ask("turn/steer");
    expect(writes).toHaveLength(3);
    receive({ id: 2, result: {} }, { id: 3, result: {} });
    expect(writes).toHaveLength(3);
  });

  test("an answer's continuation has run before a notice of the same read is told", () => {
    const { rpc, receive } = open();
    const order: string[] = [];
    const listening = new Rpc(() => {}, {
      delta: () => {},
      notified: (method) => order.push(method),
      asked: () => {},
      malformed: () => {},
      unclaimed: () => {},
    });
    rpc.close();
    receive();
    listening.request("turn/start", {}, 1000, () => order.push("answered"));
    listening.push(Buffer.from('{"id":1,"result":{}}\n{"method":"turn/started"}\n'));
    expect(order).toEqual(["answered", "turn/started"]);
  });

  test("an answer that comes while the request is still being written finds its waiter", () => {
    let answered = false;
    const rpc: Rpc = new Rpc(() => rpc.push(Buffer.from('{"id":1,"result":{}}\n')), {
      delta: () => {},
      notified: () => {},
      asked: () => {},
      malformed: () => {},
      unclaimed: () => expect.unreachable(),
    });
    rpc.request("x", {}, 1000, () => (answered = true));
    expect(answered).toBe(true);
  });

  test("a request without an answer in time fails, and its late answer is nobody's", () => {
    const { ask, heard, receive } = open();
    ask("slow", 100);
    vi.advanceTimersByTime(99);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1);
    receive({ id: 1, result: {} });
    expect(heard).toEqual(["slow timeout", "unclaimed 1"]);
  });

  test("keeps 64 in flight and the others waiting, in order", () => {
    const { rpc, ask, written, receive, heard } = open();
    for (let i = 1; i <= 70; i++) ask(`m${i}`);
    expect(written).toHaveLength(64);
    receive({ id: 5, result: {} });
    expect(written.at(-1)).toMatchObject({ method: "m65" });
    rpc.close();
    expect(heard).toHaveLength(70);
    expect(heard.filter((line) => line.endsWith("closed"))).toHaveLength(69);
  });

  test("refuses more waiting requests than it can hold", () => {
    const { rpc, ask, heard } = open();
    for (let i = 0; i < 64 + 1024; i++) ask("m");
    expect(heard).toEqual([]);
    ask("one too many");
    expect(heard).toEqual(["one too many closed"]);
    rpc.close();
  });

  test("asks an overloaded server again, ever more slowly, but not for ever", () => {
    const { ask, heard, written, receive } = open();
    ask("busy");
    for (let retry = 1; retry <= 5; retry++) {
      receive({ id: 1, error: { code: -32001, message: "overloaded" } });
      vi.advanceTimersByTime(50 * 2 ** (retry - 1) - 1);
      expect(written).toHaveLength(retry);
      vi.advanceTimersByTime(1);
      expect(written).toHaveLength(retry + 1);
    }
    receive({ id: 1, error: { code: -32001, message: "overloaded" } });
    expect(heard).toEqual(["busy refused"]);
  });

  test("hands on the server's requests with their ids as they are, and answers under the same", () => {
    const { rpc, receive, heard, written } = open();
    receive({ method: "a", id: 0, params: {} }, { method: "b", id: "seven", params: {} });
    expect(heard).toEqual(["asked 0 a", 'asked "seven" b']);
    rpc.answer(0, { decision: "accept" });
    rpc.refuse("seven", -32601, "no");
    expect(written).toEqual([
      { id: 0, result: { decision: "accept" } },
      { id: "seven", error: { code: -32601, message: "no" } },
    ]);
  });

  test("counts streamed text without reading it", () => {
    const { rpc, heard } = open();
    rpc.push(Buffer.from('{"method":"item/agentMessage/delta","params":{broken\n'));
    rpc.push(Buffer.from(' {"method":"item/agentMessage/delta","params":{}}\n'));
    expect(heard).toEqual(["delta", "delta"]);
  });

  test("tells a line that is no message, cut to 500 characters, and goes on", () => {
    const { rpc, heard } = open();
    rpc.push(Buffer.from(`${"y".repeat(600)}\n{"method":"next"}\n`));
    expect(heard).toHaveLength(2);
    expect(heard[0]).toMatch(/^malformed not JSON: .*y{500}…$/s);
    expect(heard[1]).toBe("next");
  });

  test("reads a last line without an end when it is closed, then tells all who wait", () => {
    const { rpc, ask, heard } = open();
    ask("a");
    ask("b");
    rpc.push(Buffer.from('{"id":1,"result":{}}'));
    rpc.close();
    rpc.close();
    ask("c");
    expect(heard).toEqual(["a ok", "b closed", "c closed"]);
  });
});
