import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Children, type Settled } from "../../../../src/agent/codex/children.ts";
import type { Fields } from "../../../../src/agent/codex/message.ts";
import type { Answer } from "../../../../src/agent/codex/rpc.ts";
import { threadId } from "../../../../src/domain/run.ts";

const done: Answer = { ok: true, result: {} };

/** The children of thread `own`, with everything they come to. */
function family({ inTurn = true } = {}) {
  const asked: string[] = [];
  const waiting: ((answer: Answer) => void)[] = [];
  const found: string[] = [];
  const warned: string[] = [];
  const settled: Settled[] = [];
  const children = new Children({
    ask: (method, params, answered) => {
      asked.push(`${method} ${String(params["threadId"])}`);
      waiting.push(answered);
    },
    interruptMs: 1000,
    own: () => threadId("own"),
    inTurn: () => inTurn,
    found: (thread) => found.push(thread),
    warn: (message) => warned.push(message),
  });
  const turn = (method: string) => (thread: string) =>
    children.heard(method, { threadId: thread, turn: { id: `turn-of-${thread}` } });
  return {
    children,
    asked,
    found,
    warned,
    settled,
    answer: () => waiting.shift()?.(done),
    began: turn("turn/started"),
    ended: turn("turn/completed"),
    calls: (tool: string, thread: string, more: Fields = {}) =>
      children.heard("item/completed", {
        threadId: "own",
        item: {
          type: "collabAgentToolCall",
          tool,
          status: "completed",
          receiverThreadIds: [thread],
          agentsStates: { [thread]: { status: "pendingInit" } },
          ...more,
        },
      }),
    settle: (patienceMs: number) => children.settle(patienceMs, (how) => settled.push(how)),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  // Who waits for nobody keeps nothing alive.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("children", () => {
  test("that are not at work are not waited for, and the session's own turn is none of them", () => {
    const { settle, settled, began, ended, found } = family();
    began("own");
    began("a");
    ended("a");
    settle(60_000);
    expect(settled).toEqual(["done"]);
    expect(found).toEqual(["a"]);
  });

  test("at work are waited for", () => {
    const { settle, settled, began, ended, asked } = family();
    began("a");
    began("b");
    settle(60_000);
    ended("a");
    expect(settled).toEqual([]);
    ended("b");
    expect(settled).toEqual(["done"]);
    expect(asked).toEqual([]);
  });

  test("that were asked for and have not begun are waited for too, but not for long", () => {
    for (const tool of ["spawnAgent", "sendInput"]) {
      const { settle, settled, calls, began, ended } = family();
      calls(tool, "a");
      settle(60_000);
      expect(settled).toEqual([]);
      began("a");
      vi.advanceTimersByTime(5000);
      expect(settled).toEqual([]);
      ended("a");
      expect(settled).toEqual(["done"]);
    }
    const { settle, settled, calls } = family();
    calls("spawnAgent", "never");
    settle(60_000);
    vi.advanceTimersByTime(5000);
    expect(settled).toEqual(["done"]);
  });

  test("are not expected after a call that asks for no work, or that failed, or whose child is done already", () => {
    const { settle, settled, calls } = family();
    calls("wait", "a");
    calls("spawnAgent", "b", { status: "failed" });
    calls("spawnAgent", "c", { agentsStates: { c: { status: "completed" } } });
    calls("spawnAgent", "d", { type: "dynamicToolCall" });
    settle(60_000);
    expect(settled).toEqual(["done"]);
  });

  test("nobody waits for any longer are interrupted, and their commands ended, before the wait is over", () => {
    const { settle, settled, began, ended, asked, answer, warned } = family();
    began("a");
    settle(60_000);
    vi.advanceTimersByTime(60_000);
    expect(asked).toEqual(["turn/interrupt a"]);
    expect(warned).toHaveLength(1);
    ended("a");
    expect(settled).toEqual([]);
    answer();
    expect(asked).toEqual(["turn/interrupt a", "thread/backgroundTerminals/clean a"]);
    answer();
    expect(settled).toEqual(["interrupted"]);
  });

  test("are interrupted at once where there is no patience, those that begin meanwhile as well", () => {
    const { settle, settled, began, ended, asked, answer } = family();
    began("a");
    settle(0);
    began("late");
    expect(asked).toEqual(["turn/interrupt a", "turn/interrupt late"]);
    for (const child of ["a", "late"]) ended(child);
    for (let n = 0; n < 4; n++) answer();
    expect(settled).toEqual(["interrupted"]);
  });

  test("that do not end when they are interrupted are given up", () => {
    const { children, settle, settled, began } = family();
    began("a");
    settle(60_000);
    children.hurry();
    vi.advanceTimersByTime(1000);
    expect(settled).toEqual(["stuck"]);
  });

  test("that begin to work between two turns are interrupted", () => {
    const { began, asked, warned } = family({ inTurn: false });
    began("a");
    expect(asked).toEqual(["turn/interrupt a"]);
    expect(warned).toHaveLength(1);
  });

  test("are found once each, in a bounded number", () => {
    const { found, began } = family();
    for (let n = 0; n < 2000; n++) began(`thread-${n % 1500}`);
    expect(found).toHaveLength(1000);
  });

  test("of a process that is gone are waited for no longer", () => {
    const { children, settle, settled, began } = family();
    began("a");
    settle(60_000);
    children.close();
    expect(settled).toEqual([]);
  });
});
