import { expect, test } from "vitest";
import { run, started, toolCalled } from "../../contract/ledger-records.ts";
import { ledgerFile, open, rows } from "./folder.ts";

const one = run(1);

test("every tool call is a row, once, whether its fact was appended or committed", () => {
  const path = ledgerFile();
  const ledger = open(path);
  ledger.append(toolCalled(one, "call-1"));
  ledger.commit([started(one)], [toolCalled(one, "call-2"), toolCalled(one, "call-1")]);
  expect(
    rows(path, "SELECT call_id, operation, fields, ids, complexity, ok, took_ms FROM tool_calls"),
  ).toEqual(
    ["call-1", "call-2"].map((call_id) => ({
      call_id,
      operation: "Comment",
      fields: '["commentCreate"]',
      ids: '["issue-1"]',
      complexity: 12.5,
      ok: 1,
      took_ms: 80.25,
    })),
  );
});
