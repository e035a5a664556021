import { expect, test } from "vitest";
import { isRetry, meaningOf } from "../../../../src/agent/codex/meaning.ts";
import { threadId } from "../../../../src/domain/run.ts";

const own = threadId("t-1");
const turn = { id: "turn-1", status: "completed" };

test("the beginning and the end of a turn are news of the session's own thread only", () => {
  for (const params of [{ turn }, { turn, threadId: "t-1" }]) {
    expect(meaningOf("turn/started", params, own)).toEqual({ type: "turn_started", id: "turn-1" });
    expect(meaningOf("turn/completed", params, own)).toEqual({ type: "turn_completed", id: "turn-1", turn });
  }
  for (const method of ["turn/started", "turn/completed"])
    expect(meaningOf(method, { turn, threadId: "another" }, own)).toEqual({ type: "elsewhere" });
});

test("an error ends the turn unless Codex tries again, and trying again is no sign of life", () => {
  const error = { message: "gone" };
  expect(meaningOf("error", { error }, own)).toEqual({ type: "erred", error });
  expect(meaningOf("error", { error, willRetry: true }, own)).toEqual({ type: "beside" });
  expect(isRetry("error", { error, willRetry: true })).toBe(true);
  expect(isRetry("error", { error })).toBe(false);
  expect(isRetry("warning", { willRetry: true })).toBe(false);
});

test("what the agent says is its message, what its own agents say is not", () => {
  const item = { type: "agentMessage", text: "done" };
  expect(meaningOf("item/completed", { item }, own)).toEqual({ type: "said", text: "done" });
  expect(meaningOf("item/completed", { item, threadId: "another" }, own)).toEqual({ type: "beside" });
  expect(meaningOf("item/completed", { item: { type: "reasoning" } }, own)).toEqual({ type: "beside" });
});
