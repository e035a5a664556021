import { expect, test } from "vitest";
import { bodyFields, scopeFields } from "../../../src/facts/log-fields.ts";
import { at, scope } from "./samples.ts";

test("ids have the names of SPEC 13.1, and a session is a thread with its turn", () => {
  const fact = { type: "turn_started", turn: 1, ...scope, at } as const;
  expect(scopeFields(fact)).toMatchObject({ issue_id: "issue-12", session_id: "0199-thread-0199-turn" });
  const { turnId: _turn, ...threadOnly } = fact;
  expect(JSON.parse(JSON.stringify(scopeFields(threadOnly)))).not.toHaveProperty("session_id");
});

test("the body has no ids in it, names in snake_case, and limits as their owner names them", () => {
  expect(bodyFields({ type: "agent_launched", pid: 7, ...scope, at })).toEqual({ pid: 7 });
  expect(bodyFields({ type: "polled", candidates: 1, tookMs: 5, at })).toEqual({ candidates: 1, took_ms: 5 });
  const limits = { usedPercent: 5 };
  expect(bodyFields({ type: "rate_limits", limits, at })).toEqual({ limits });
});

test("a long text is cut and says by how much; a long list has its beginning", () => {
  const { text } = bodyFields({ type: "agent_said", text: "x".repeat(3_000), at });
  expect(text).toMatch(/^x{2000} \[1000 more characters\]$/);
  const paths = Array.from({ length: 99 }, (_, n) => `f${n}`);
  expect(bodyFields({ type: "files_changed", status: "completed", paths, at })["paths"]).toHaveLength(50);
});
