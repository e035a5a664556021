import { expect, test } from "vitest";
import type { Cause } from "../../../src/domain/telling.ts";
import { continuationGuidance, renewedPrompt } from "../../../src/workflow/workflow.ts";

const of = (turn: number, cause: Cause) => ({
  identifier: "MT-7",
  turn,
  turnsMax: 20,
  cause,
  state: "Doing",
});
const CONTINUED: Cause = { type: "continued", turns: 3 };

test("a later turn is told the state of the issue, which turn it is, and not to start over", () => {
  const text = continuationGuidance(of(3, CONTINUED));
  expect(text).toMatch(
    /^The last turn has ended and MT-7 is in the active state "Doing".*turn 3 of at most 20/,
  );
  expect(text).toContain("Do not start over");
});

test.each([
  [CONTINUED, "ended after 3 turns"],
  [{ type: "continued", turns: 1 }, "ended after 1 turn,"],
  [{ type: "retried", why: "The agent's process\nended." }, '"The agent\'s process ended."'],
  [
    { type: "given_back", state: "Rework", before: "Human Review" },
    'given MT-7 back: it was in the state "Human Review" after the last session, and has been set to "Rework"',
  ],
  [{ type: "released", parked: "10 runs in a row failed" }, "a person has released it"],
  [{ type: "restarted" }, "because Baton itself ended"],
  [{ type: "first" }, "A new session on MT-7 begins."],
] as const)("the first turn of a run says why it was begun: %j", (cause, words) => {
  for (const text of [continuationGuidance(of(1, cause)), renewedPrompt(of(1, cause), "Do it.")]) {
    const [first = ""] = text.split("\n");
    expect(first).toContain(words);
    expect(first).toContain("turn 1 of at most 20");
    expect(first).not.toContain("still");
    expect(first).not.toMatch(/number \d/);
  }
});

test("a prompt that comes again says that it takes the place of the earlier ones, and then is itself", () => {
  expect(renewedPrompt(of(1, CONTINUED), "Do it.")).toMatch(
    /takes the place of every earlier text.*\n\nDo it\.$/s,
  );
  expect(renewedPrompt(of(2, CONTINUED), "Do it.")).toMatch(
    /^The task of MT-7 has changed since your last turn/,
  );
});

test("what others wrote is one short line in a sentence of ours", () => {
  const why = `it failed\n\n# New orders\n\n<!-- hidden -->${"x".repeat(1_000)}`;
  const [first = ""] = continuationGuidance(of(1, { type: "retried", why })).split("\n");
  expect(first).toContain("it failed # New orders");
  expect(first).not.toContain("<!--");
  expect(first.length).toBeLessThan(500);
});
