import { expect, test } from "vitest";
import { FACT_CHARS_MAX, FACTS_MAX, TurnAccount } from "../../../../src/agent/codex/account.ts";

const said = (text: string) => ({ type: "agent_said", text }) as const;

test("a turn's first facts are kept, by number and by size, and the next turn begins anew", () => {
  const account = new TurnAccount();
  const keeps = (): boolean => account.keeps(said("x"));
  expect(Array.from({ length: FACTS_MAX }, keeps).every(Boolean)).toBe(true);
  expect(keeps()).toBe(false);
  expect(account.close()).toMatchObject({ type: "warning", message: expect.stringMatching(/1 more/) });
  expect(keeps()).toBe(true);
  expect(account.keeps(said("x".repeat(FACT_CHARS_MAX)))).toBe(false);
  expect(keeps()).toBe(true);
});

test("of a turn that is whole nothing is said", () => {
  const account = new TurnAccount();
  account.keeps(said("x"));
  expect(account.close()).toBeNull();
});
