import { expect, test } from "vitest";
import { missingIn } from "../../../../src/agent/codex/needs.ts";

const branch = (method: string, params: unknown) => ({ properties: { method: { enum: [method] }, params } });

test("a schema that names nothing lacks every request and every notice that is needed", () => {
  const missing = missingIn({ requests: {}, notices: null });
  expect(missing).toContain("the request turn/start");
  expect(missing).toContain("the notice turn/completed");
});

test("a field that is sent and not known is named with its request", () => {
  const requests = {
    oneOf: [
      branch("turn/interrupt", { $ref: "#/definitions/P" }),
      branch("turn/steer", { properties: { threadId: {}, input: {}, expectedTurnId: {} } }),
    ],
    definitions: { P: { properties: { threadId: {} } } },
  };
  const missing = missingIn({ requests, notices: {} });
  expect(missing.filter((what) => /interrupt|steer/.test(what))).toEqual([
    "the field turnId of the request turn/interrupt",
  ]);
});
