import { expect, test } from "vitest";
import { Questions } from "../../../../src/agent/codex/questions.ts";
import type { FactBody } from "../../../../src/domain/fact.ts";
import type { Failure } from "../../../../src/domain/failure.ts";
import type { PolicySettings } from "../../../../src/domain/settings.ts";
import { instant } from "../../../../src/domain/time.ts";
import { policySettings } from "../heard.ts";

function asked(policy: PolicySettings = policySettings) {
  const order: string[] = [];
  const facts: FactBody[] = [];
  const parked: Failure[] = [];
  const questions = new Questions({
    rpc: {
      answer: (id) => order.push(`answer ${id}`),
      refuse: (id, code) => order.push(`refuse ${id} ${code}`),
    },
    spec: { policy, tools: [] },
    clock: () => instant(0),
    signal: () => new AbortController().signal,
    tell: (fact) => {
      order.push("told");
      facts.push(fact);
    },
    park: (why) => {
      order.push("parked");
      parked.push(why);
    },
  });
  return { questions, order, facts, parked };
}

test("what nobody here knows is refused under its own id, and told with a name of bounded length", () => {
  const { questions, order, facts } = asked();
  questions.take("q-1", `brand/${"x".repeat(10_000)}`, {});
  expect(order).toEqual(["refuse q-1 -32601", "told"]);
  expect(JSON.stringify(facts).length).toBeLessThan(1_000);
});

test("a run that has to end over a question ends after its answer", () => {
  const approvals = { mode: "operator", timeoutMs: 1, onTimeout: "park" } as const;
  const { questions, order, parked } = asked({ ...policySettings, approvals });
  questions.take(7, "item/commandExecution/requestApproval", { command: "rm x" });
  expect(order).toEqual(["answer 7", "told", "parked"]);
  expect(parked).toMatchObject([{ kind: "approval_required" }]);
});
