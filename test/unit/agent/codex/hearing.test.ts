import { expect, test } from "vitest";
import { FACT_CHARS_MAX, FACTS_MAX } from "../../../../src/agent/codex/account.ts";
import { Hearing } from "../../../../src/agent/codex/hearing.ts";
import type { Turn } from "../../../../src/agent/codex/turn.ts";
import type { AgentNews } from "../../../../src/agent/port.ts";
import type { Failure } from "../../../../src/domain/failure.ts";
import { threadId } from "../../../../src/domain/run.ts";
import { instant } from "../../../../src/domain/time.ts";

const thread = threadId("t-1");

/** A hearing whose clock goes on by one with every look, and what came of it. */
function hearing(turn: Turn | null = null) {
  let now = 0;
  const news: AgentNews[] = [];
  const started: string[] = [];
  const garbled: Failure[] = [];
  const heard = new Hearing({
    clock: () => instant(++now),
    thread: () => thread,
    turn: () => turn,
    turnStarted: (id) => started.push(id),
    children: { heard: () => {} },
    garbled: (why) => garbled.push(why),
    tell: (what) => news.push(what),
  });
  return { heard, news, started, garbled, pass: (ms: number) => void (now += ms) };
}

test("every notice is a sign of life, except that Codex tries again", () => {
  const { heard } = hearing();
  const { signAt } = heard.pulse();
  heard.notified("error", { willRetry: true });
  expect(heard.pulse().signAt).toBe(signAt);
  heard.notified("item/started", {});
  expect(heard.pulse().signAt).toBeGreaterThan(signAt);
});

test("a turn that has no name is not begun", () => {
  const { heard, started } = hearing();
  heard.notified("turn/started", { turn: {} });
  heard.notified("turn/started", { turn: { id: "turn-1" } });
  expect(started).toEqual(["turn-1"]);
});

test("what a turn left open is forgotten with it", () => {
  const { heard } = hearing();
  heard.notified("item/started", { item: { id: "a", type: "commandExecution" } });
  expect(heard.pulse().openCommands).toBe(1);
  heard.turnEnded();
  expect(heard.pulse().openCommands).toBe(0);
});

test("a hundred lines a minute that are no messages are kept, and one more means that no agent speaks there", () => {
  const { heard, news, garbled } = hearing();
  for (let line = 1; line <= 101; line++) heard.malformed("not JSON", `line ${line}`);
  expect(news).toHaveLength(100);
  expect(garbled).toMatchObject([{ kind: "protocol_violation", detail: "line 101" }]);
});

test("a wrapper that prints a line each second may do so for hours", () => {
  const { heard, news, garbled, pass } = hearing();
  for (let second = 0; second < 3 * 3600; second++) {
    heard.malformed("not JSON", "still here");
    pass(1000);
  }
  expect(garbled).toEqual([]);
  // More than its first lines nobody reads.
  expect(news).toHaveLength(FACTS_MAX);
});

test("a turn of a hundred megabytes is kept in part, and what was left out is said at its end", () => {
  const { heard, news } = hearing();
  const item = {
    type: "commandExecution",
    id: "a",
    command: "x".repeat(4000),
    aggregatedOutput: "y".repeat(4000),
  };
  for (let n = 0; n < 12_000; n++) heard.notified("item/completed", { item });
  const kept = JSON.stringify(news).length;
  expect(kept).toBeLessThan(1.1 * FACT_CHARS_MAX);
  heard.turnEnded();
  expect(news.at(-1)).toMatchObject({
    fact: { type: "warning", message: expect.stringContaining("left out") },
  });
  heard.notified("item/completed", { item });
  heard.turnEnded();
  expect(news.at(-1)).toMatchObject({ fact: { type: "command_ran" } });
});

test("a turn of another thread is not even counted as unknown", () => {
  const { heard, news, started } = hearing();
  heard.notified("turn/completed", { threadId: "another", turn: { id: "x", status: "failed" } });
  heard.notified("turn/started", { threadId: "another", turn: { id: "x" } });
  expect([news, started]).toEqual([[], []]);
});
