import { expect, test } from "vitest";
import type { AgentNews } from "../../../../src/agent/port.ts";
import { Notices } from "../../../../src/agent/codex/notices.ts";
import { threadId } from "../../../../src/domain/run.ts";
import { instant } from "../../../../src/domain/time.ts";

function told(...notices: readonly (readonly [string, Readonly<Record<string, unknown>>])[]): AgentNews[] {
  const news: AgentNews[] = [];
  const taker = new Notices(
    (one) => news.push(one),
    () => instant(0),
  );
  for (const [method, params] of notices) taker.take(method, params, threadId("own"));
  return news;
}

test("texts that differ only beyond what is shown are one warning, and no text is kept whole", () => {
  const long = "x".repeat(1_000_000);
  const news = told(
    ["warning", { message: `${long}1` }],
    ["warning", { message: `${long}2` }],
    [`${long}1`, {}],
    [`${long}2`, {}],
  );
  expect(news.map((one) => (one.type === "fact" ? one.fact.type : ""))).toEqual([
    "agent_warned",
    "unknown_message",
  ]);
  expect(JSON.stringify(news).length).toBeLessThan(5000);
});

test("a retry is told with its cause, both of readable length", () => {
  const error = { message: "x".repeat(100_000), additionalDetails: "y".repeat(100_000) };
  expect(JSON.stringify(told(["error", { willRetry: true, error }])).length).toBeLessThan(7000);
});

test("usage is of the thread it names, of the own one when it names none, and of none when that is no name", () => {
  const tokenUsage = { total: { totalTokens: 5 } };
  const usage = "thread/tokenUsage/updated";
  const news = told(
    [usage, { tokenUsage }],
    [usage, { tokenUsage, threadId: "other" }],
    [usage, { tokenUsage, threadId: "x".repeat(1000) }],
    [usage, { tokenUsage, threadId: "" }],
    [usage, { tokenUsage, threadId: 7 }],
  );
  expect(news.map((one) => (one.type === "usage" ? one.threadId : ""))).toEqual(["own", "other"]);
});
