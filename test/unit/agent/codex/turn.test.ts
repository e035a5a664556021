import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Answer } from "../../../../src/agent/codex/rpc.ts";
import type { Settled } from "../../../../src/agent/codex/children.ts";
import { Turn, type TurnEnd } from "../../../../src/agent/codex/turn.ts";
import { failure } from "../../../../src/domain/failure.ts";
import { threadId } from "../../../../src/domain/run.ts";

const stopped = failure("shutdown", "stopped");
const done: Answer = { ok: true, result: {} };
const refused: Answer = { ok: false, cause: "refused", code: -32600, message: "no", data: null };

/** A turn whose questions wait to be answered by the test. */
function turn({ busy = false } = {}) {
  const settled: ((how: Settled) => void)[] = [];
  const asked: string[] = [];
  const waiting: ((answer: Answer) => void)[] = [];
  const told: string[] = [];
  const ends: TurnEnd[] = [];
  let heardAt = Date.now();
  const one = new Turn({
    ask: (method, _params, answered) => {
      asked.push(method);
      waiting.push(answered);
    },
    threadId: threadId("t"),
    interruptMs: 1000,
    childrenMs: 60_000,
    resetsAt: () => null,
    silentMs: () => Date.now() - heardAt,
    children: {
      settle: (patienceMs, over) => {
        told.push(`settles within ${patienceMs}`);
        if (busy) settled.push(over);
        else over("done");
      },
      hurry: () => told.push("hurries"),
      close: () => {},
    },
    started: (id) => told.push(`started ${id}`),
    ended: (end) => ends.push(end),
    stuck: () => told.push("stuck"),
  });
  const answer = (reply: Answer = done): void => waiting.shift()?.(reply);
  one.begin({}, 5000);
  return {
    one,
    asked,
    told,
    ends,
    answer,
    settle: (how: Settled) => settled.shift()?.(how),
    heard: () => void (heardAt = Date.now()),
    answerStart: () => answer({ ok: true, result: { turn: { id: "u" } } }),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  // A turn that is over keeps nothing alive.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a turn", () => {
  test("begins when Codex says so, not when it answers; and ends when Codex says so", () => {
    const { one, told, ends, answerStart } = turn();
    answerStart();
    expect(told).toEqual([]);
    one.begun("u");
    one.begun("u");
    expect(told).toEqual(["started u"]);
    one.completed({ id: "u", status: "completed", items: [{ type: "agentMessage", text: "done" }] });
    one.completed({ id: "u", status: "failed" });
    expect(ends).toEqual([{ turnId: "u", status: "completed", failure: null, message: "done" }]);
  });

  test("that ends without having begun is said to have begun first", () => {
    const { one, told, ends, answerStart } = turn();
    one.completed({ id: "u", status: "completed" });
    answerStart();
    expect(told).toEqual(["started u", "settles within 60000"]);
    expect(ends).toHaveLength(1);
  });

  test("is over when the agents that the model started are", () => {
    const { one, told, ends, settle, answerStart } = turn({ busy: true });
    answerStart();
    one.completed({ id: "u", status: "completed" });
    one.completed({ id: "u", status: "failed" });
    expect([ends, one.signal.aborted]).toEqual([[], false]);
    settle("interrupted");
    expect(ends).toMatchObject([{ status: "completed", failure: null }]);
    expect(told).not.toContain("stuck");
  });

  test("that failed has no patience with them", () => {
    const { one, told, settle, ends, answerStart } = turn({ busy: true });
    answerStart();
    one.completed({ id: "u", status: "failed" });
    expect(told).toContain("settles within 0");
    settle("stuck");
    expect(ends).toMatchObject([{ status: "failed" }]);
    expect(told).toContain("stuck");
  });

  test("that is interrupted while it waits for them ends them, and was interrupted when it had to", () => {
    for (const [how, status] of [
      ["interrupted", "interrupted"],
      ["done", "completed"],
    ] as const) {
      const { one, told, asked, settle, ends, answerStart } = turn({ busy: true });
      answerStart();
      one.completed({ id: "u", status: "completed" });
      one.interrupt(stopped);
      expect(told).toContain("hurries");
      expect(asked).not.toContain("turn/interrupt");
      settle(how);
      expect(ends).toMatchObject([{ status }]);
    }
  });

  test("is interrupted only once it has begun: before, Codex would lose it", () => {
    const { one, asked, ends, answerStart, answer } = turn();
    one.interrupt(stopped);
    answerStart();
    expect(asked).toEqual(["turn/start"]);
    one.begun("u");
    expect(asked).toEqual(["turn/start", "turn/interrupt"]);
    answer();
    one.completed({ id: "u", status: "interrupted" });
    expect(ends).toEqual([{ turnId: "u", status: "interrupted", failure: stopped, message: null }]);
  });

  test("is interrupted again when that was refused, until it ends", () => {
    const { one, asked, answer, answerStart } = turn();
    answerStart();
    one.begun("u");
    one.interrupt(stopped);
    answer(refused);
    vi.advanceTimersByTime(100);
    answer(refused);
    vi.advanceTimersByTime(100);
    expect(asked.filter((method) => method === "turn/interrupt")).toHaveLength(3);
    one.completed({ id: "u", status: "interrupted" });
    answer(refused);
  });

  test("that does not end after an interrupt is given up", () => {
    const { one, told, ends, answerStart } = turn();
    answerStart();
    one.begun("u");
    one.interrupt(stopped);
    one.interrupt(failure("internal", "too late"));
    vi.advanceTimersByTime(1000);
    expect(ends).toEqual([{ turnId: "u", status: "interrupted", failure: stopped, message: null }]);
    expect(told).toEqual(["started u", "stuck"]);
  });

  test("that is silent for longer than a turn may be is interrupted for that", () => {
    const { one, asked, ends, answerStart } = turn();
    answerStart();
    one.begun("u");
    vi.advanceTimersByTime(4999);
    expect(asked).not.toContain("turn/interrupt");
    vi.advanceTimersByTime(1);
    one.completed({ id: "u", status: "interrupted" });
    expect(ends[0]?.failure?.kind).toBe("turn_timeout");
  });

  test("may last for any time as long as something is heard of it", () => {
    const { one, asked, ends, heard, answerStart } = turn();
    answerStart();
    one.begun("u");
    for (let hour = 0; hour < 20; hour++) {
      vi.advanceTimersByTime(4000);
      heard();
    }
    expect(asked).not.toContain("turn/interrupt");
    vi.advanceTimersByTime(5000);
    expect(asked).toContain("turn/interrupt");
    one.completed({ id: "u", status: "interrupted" });
    expect(ends[0]?.failure?.kind).toBe("turn_timeout");
  });

  test("that completes although it was interrupted has completed", () => {
    const { one, ends, answerStart } = turn();
    answerStart();
    one.begun("u");
    one.interrupt(stopped);
    one.completed({ id: "u", status: "completed" });
    expect(ends[0]).toMatchObject({ status: "completed", failure: null });
  });

  test("that Codex interrupts by itself was cancelled", () => {
    const { one, ends, answerStart } = turn();
    answerStart();
    one.completed({ id: "u", status: "interrupted" });
    expect(ends[0]?.failure?.kind).toBe("turn_cancelled");
  });

  test.each([{ status: "failed" }, { status: "brand-new" }, {}])(
    "with %j has failed, with the last error heard",
    (how) => {
      const { one, ends, answerStart } = turn();
      answerStart();
      one.erred({ message: "no model", codexErrorInfo: "modelNotFound" });
      one.completed({ id: "u", ...how });
      expect(ends[0]).toMatchObject({ status: "failed", failure: { kind: "model_not_found" } });
    },
  );

  test("shows the last thing said when the summary has none, cut to a bounded length", () => {
    const { one, ends, answerStart } = turn();
    answerStart();
    one.said("first");
    one.said("x".repeat(20_000));
    one.completed({ id: "u", status: "completed", items: [] });
    expect(ends[0]?.message).toHaveLength(16_385);
  });

  test("lost with its process failed for that, or was interrupted when that was asked for", () => {
    const why = failure("port_exit", "gone");
    const lost = turn();
    lost.one.lost(why);
    lost.answer({ ...refused, cause: "closed" });
    expect(lost.ends).toEqual([{ turnId: null, status: "failed", failure: why, message: null }]);
    const leaving = turn();
    leaving.one.interrupt(stopped);
    leaving.one.lost(why);
    expect(leaving.ends).toEqual([{ turnId: null, status: "interrupted", failure: stopped, message: null }]);
  });

  test("is steered while it runs, with the turn it is meant for; not before, and not when it is interrupted", async () => {
    const { one, asked, answer, answerStart } = turn();
    expect(await one.steer("early")).toBe(false);
    answerStart();
    one.begun("u");
    const taken = one.steer("now");
    answer();
    expect(await taken).toBe(true);
    const notTaken = one.steer("not steerable");
    answer(refused);
    expect(await notTaken).toBe(false);
    one.interrupt(null);
    expect(await one.steer("late")).toBe(false);
    expect(asked.filter((method) => method === "turn/steer")).toHaveLength(2);
    one.completed({ id: "u", status: "interrupted" });
  });
});
