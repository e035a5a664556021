import { describe, expect, test } from "vitest";
import { instant } from "../../../../src/domain/time.ts";
import { OpenItems, itemFact } from "../../../../src/agent/codex/items.ts";

const at = instant(5_000);

describe("open items", () => {
  test("count work that has begun and not ended, and no text under way", () => {
    const open = new OpenItems();
    open.started({ type: "commandExecution", id: "a" }, at);
    open.started({ type: "commandExecution", id: "a" }, at);
    open.started({ type: "mcpToolCall", id: "b" }, at);
    open.started({ type: "agentMessage", id: "c" }, at);
    open.started({ type: "reasoning", id: "d" }, at);
    open.started({ type: "commandExecution" }, at);
    expect([open.commands, open.calls]).toEqual([1, 1]);
    open.completed({ id: "a" });
    open.completed({ id: "unknown" });
    expect([open.commands, open.calls]).toEqual([0, 1]);
    open.clear();
    expect([open.commands, open.calls]).toEqual([0, 0]);
  });

  test("are called what they do, the oldest first, until they are completed", () => {
    const open = new OpenItems();
    open.started({ type: "commandExecution", id: "a", command: "npm test" }, at);
    open.started({ type: "mcpToolCall", id: "b", server: "github", tool: "search" }, instant(6_000));
    open.started({ type: "fileChange", id: "c", changes: [{ path: "a.ts" }] }, instant(7_000));
    open.started({ type: "sleep", id: "d" }, instant(8_000));
    expect(open.underWay()).toEqual([
      { what: "$ npm test", since: 5_000 },
      { what: "mcpToolCall: github/search", since: 6_000 },
      { what: "fileChange: a.ts", since: 7_000 },
      { what: "sleep", since: 8_000 },
    ]);
    open.completed({ id: "a" });
    expect(open.underWay()[0]?.what).toBe("mcpToolCall: github/search");
    open.clear();
    expect(open.underWay()).toEqual([]);
  });

  test("are bounded, and so is what is told of them", () => {
    const many = new OpenItems();
    for (let i = 0; i < 100; i++)
      many.started({ type: "commandExecution", id: String(i), command: "x".repeat(1e6) }, at);
    expect(JSON.stringify(many.underWay()).length).toBeLessThan(2_000);
  });

  test("are bounded", () => {
    const open = new OpenItems();
    for (let i = 0; i < 10_000; i++) open.started({ type: "sleep", id: String(i) }, at);
    expect(open.commands).toBe(4096);
  });
});

test("a fact is small, however large the item is", () => {
  const long = "x".repeat(1_000_000);
  const changes = Array.from({ length: 1000 }, () => ({ path: long }));
  const items = [
    { type: long, status: long, text: long, summary: [long], error: { message: long } },
    { type: "commandExecution", command: long, status: long, aggregatedOutput: long },
    { type: "fileChange", status: long, changes },
    { type: "agentMessage", text: long },
  ];
  for (const item of items) expect(JSON.stringify(itemFact(item)).length).toBeLessThan(110_000);
});

describe("a completed item becomes a fact:", () => {
  test("a command, with the end of its output", () => {
    const item = {
      type: "commandExecution",
      command: "npm test",
      status: "failed",
      exitCode: 1,
      durationMs: 12,
      aggregatedOutput: `${"x".repeat(10_000)}the end`,
    };
    const fact = itemFact(item);
    expect(fact).toMatchObject({
      type: "command_ran",
      command: "npm test",
      status: "failed",
      exitCode: 1,
      tookMs: 12,
    });
    expect(fact?.type === "command_ran" && fact.output).toMatch(/^…x+the end$/);
    expect(fact?.type === "command_ran" && fact.output.length).toBe(4097);
  });

  test("a patch, with its paths in either shape", () => {
    const changes = [{ path: "/a", kind: { type: "add" } }, { path: "/b" }, {}];
    expect(itemFact({ type: "fileChange", status: "completed", changes })).toEqual({
      type: "files_changed",
      status: "completed",
      paths: ["/a", "/b"],
    });
    expect(itemFact({ type: "fileChange", changes: { "/c": {} } })).toMatchObject({ paths: ["/c"] });
  });

  test("a message, cut to a readable length", () => {
    expect(itemFact({ type: "agentMessage", text: "done" })).toEqual({ type: "agent_said", text: "done" });
    const long = itemFact({ type: "agentMessage", text: "y".repeat(10_000) });
    expect(long?.type === "agent_said" && long.text.length).toBe(4097);
  });

  test("everything else by its kind, also what is not known yet", () => {
    expect(
      itemFact({ type: "mcpToolCall", server: "s", tool: "t", status: "failed", error: { message: "no" } }),
    ).toEqual({ type: "item", kind: "mcpToolCall", status: "failed", summary: "s/t: no" });
    expect(itemFact({ type: "brandNew", id: "x" })).toMatchObject({ type: "item", kind: "brandNew" });
    expect(itemFact({})).toMatchObject({ type: "item", kind: "unknown" });
  });

  test("but not the echo of our own prompt", () => {
    expect(itemFact({ type: "userMessage", content: [] })).toBeNull();
  });
});
