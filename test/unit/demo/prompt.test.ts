import { expect, test } from "vitest";
import { blockerIn, branchIn, commitIn, issueIdIn, stateIdIn } from "../../../src/demo/prompt.ts";
import { parseRequest } from "../../../src/demo/model/request.ts";

const request = (prompt: string, ...outputs: readonly string[]) => {
  const answers = outputs.map((output, n) => ({ type: "function_call_output", call_id: `c${n}`, output }));
  const message = { type: "message", role: "user", content: prompt };
  return parseRequest({ model: "m", input: [message, ...answers] }, 1, "t");
};
const states = (...names: readonly string[]): string =>
  JSON.stringify({
    data: { issue: { team: { states: { nodes: names.map((name) => ({ id: `id of ${name}`, name })) } } } },
  });

test("the agent knows what the prompt says", () => {
  const seen = request("id: `abc-1`, branch `agent/DEMO-4`. It builds on DEMO-3.");
  expect([issueIdIn(seen), branchIn(seen), blockerIn(seen)]).toEqual(["abc-1", "agent/DEMO-4", "DEMO-3"]);
});

test("and what its tools have answered: the commit, and the states of the ticket's team", () => {
  const seen = request("x", "no JSON", states("Todo", "Done"), "[agent/DEMO-1 0a1b2c3] Greets");
  expect(commitIn(seen)).toBe("0a1b2c3");
  expect(stateIdIn(seen, "Done")).toBe("id of Done");
});

test("what nobody told it fails the turn, and says what is missing", () => {
  const seen = request("nothing");
  expect(() => issueIdIn(seen)).toThrow("no ticket id in the prompt");
  expect(() => commitIn(seen)).toThrow("no commit in what git said");
  expect(() => stateIdIn(seen, "Done")).toThrow('no answer so far names a state "Done"');
});
