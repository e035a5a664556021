import { describe, expect, test } from "vitest";
import { Meter, RateLimits, totalTokens } from "../../../../src/agent/codex/usage.ts";
import { noTokens, threadId } from "../../../../src/domain/run.ts";

const thread = threadId("t");
const tokens = (total: number) => ({ ...noTokens, input: total, total });

describe("the meter", () => {
  test("gives a thread's total as a mark that only rises, and each mark once", () => {
    const meter = new Meter();
    const marks = [10, 10, 7, 12, 12].map((total) => meter.update(thread, tokens(total))?.total ?? null);
    expect(marks).toEqual([10, null, null, 12, null]);
  });

  test("tells a first report even when it is zero, and keeps threads apart", () => {
    const meter = new Meter();
    expect(meter.update(thread, noTokens)).toEqual(noTokens);
    expect(meter.update(threadId("other"), tokens(3))?.total).toBe(3);
  });
});

test("of a server that makes up thread after thread some are told, and then no more", () => {
  const meter = new Meter();
  const told = Array.from({ length: 3000 }, (_, n) => meter.update(threadId(`t${n}`), tokens(1)));
  expect(told.filter((mark) => mark !== null)).toHaveLength(1000);
  expect(meter.update(threadId("t0"), tokens(2))?.total).toBe(2);
});

describe("a usage report", () => {
  const modern = {
    totalTokens: 15,
    inputTokens: 10,
    cachedInputTokens: 2,
    outputTokens: 5,
    reasoningOutputTokens: 1,
  };
  const older = {
    total_tokens: 15,
    input_tokens: 10,
    cached_input_tokens: 2,
    output_tokens: 5,
    reasoning_output_tokens: 1,
  };
  const wanted = { input: 10, cachedInput: 2, output: 5, reasoningOutput: 1, total: 15 };

  test.each([
    ["as sent today", { threadId: "t", tokenUsage: { total: modern, last: { totalTokens: 99 } } }],
    ["nested in usage", { usage: { total: modern } }],
    ["of an older event", { info: { total_token_usage: older, last_token_usage: {} } }],
    ["bare", { total: older }],
  ])("%s is read", (_, report) => {
    expect(totalTokens(report)).toEqual(wanted);
  });

  test("without a total says nothing: `last` is no spend", () => {
    expect(totalTokens({ tokenUsage: { last: modern } })).toBeNull();
    expect(totalTokens({ info: null })).toBeNull();
  });

  test("that nobody can believe says nothing: it would use up every limit", () => {
    for (const count of [1e13, Number.MAX_VALUE]) {
      expect(totalTokens({ total: { ...modern, cachedInputTokens: count } })).toBeNull();
    }
    expect(totalTokens({ total: { totalTokens: 1e12 } })?.total).toBe(1e12);
  });

  test("with nonsense in it counts none of that", () => {
    const total = { inputTokens: -5, outputTokens: "7", totalTokens: Number.NaN };
    expect(totalTokens({ tokenUsage: { total } })).toEqual(noTokens);
  });
});

describe("rate limits", () => {
  const primary = { usedPercent: 13, windowDurationMins: 300, resetsAt: 2000 };

  test("are merged: what a report leaves out or sets to null stays", () => {
    const limits = new RateLimits();
    limits.update({ rateLimits: { limitId: "codex", primary, secondary: null } });
    const now = limits.update({
      rateLimits: { limitId: "codex", primary: null, secondary: { usedPercent: 1 } },
    });
    expect(now).toEqual({ codex: { limitId: "codex", primary, secondary: { usedPercent: 1 } } });
  });

  test("are told only when something changed", () => {
    const limits = new RateLimits();
    expect(limits.update({ rateLimits: { primary } })).not.toBeNull();
    expect(limits.update({ rateLimits: { primary: { ...primary } } })).toBeNull();
    expect(limits.update({ rateLimits: { primary: null, credits: null } })).toBeNull();
    expect(limits.update({ rateLimits: { primary: { ...primary, usedPercent: 14 } } })).not.toBeNull();
    expect(limits.update({})).toBeNull();
  });

  test("say when the used-up window opens again; of several, when the last one does", () => {
    const limits = new RateLimits();
    expect(limits.resetsAt(0)).toBeNull();
    limits.update({ rateLimits: { primary } });
    expect(limits.resetsAt(0)).toBe(2_000_000);
    const full = { usedPercent: 100, resetsAt: 5000 };
    limits.update({ rateLimits: { secondary: full } });
    limits.update({ rateLimits: { limitId: "other", primary: { usedPercent: 99, resetsAt: 4000 } } });
    expect(limits.resetsAt(0)).toBe(5_000_000);
    expect(limits.resetsAt(6_000_000)).toBeNull();
  });

  test("say nothing of a reset that no window can mean", () => {
    const limits = new RateLimits();
    limits.update({ rateLimits: { primary: { usedPercent: 100, resetsAt: 1e15 } } });
    expect(limits.resetsAt(0)).toBeNull();
  });

  test("are kept within bounds, whatever a report holds", () => {
    const limits = new RateLimits();
    const long = "x".repeat(10_000);
    const deep = { a: { b: { c: { d: { e: 1 } } } } };
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}${long}`, long]));
    limits.update({ rateLimits: { ...deep, wide, list: [1] } });
    for (let n = 0; n < 100; n++) limits.update({ rateLimits: { primary, [`more-${n}`]: n } });
    for (let n = 0; n < 100; n++) limits.update({ rateLimits: { limitId: `${n}`, primary } });
    const now = limits.update({ rateLimits: { primary: { ...primary, usedPercent: 14 } } }) ?? {};
    expect(Object.keys(now)).toHaveLength(32);
    expect(Object.keys(now["codex"] ?? {})).toHaveLength(32);
    expect(now["codex"]).not.toHaveProperty("a");
    expect(now["codex"]).not.toHaveProperty("list");
    expect(JSON.stringify(now).length).toBeLessThan(30_000);
  });
});
