import { expect, test } from "vitest";
import { issueId } from "../../../src/domain/issue.ts";
import { refusalsOf, refusalsText } from "../../../src/ledger/refusals-text.ts";
import { at } from "../../contract/ledger-records.ts";

const refusal = { at: at(2), state: "Todo", updatedAt: null, blockers: ["b-1"] };
const refusals = new Map([[issueId("i-1"), refusal]]);

test("refusals are read as they were written", () => {
  expect(refusalsOf({ workflow: "main", detail: refusalsText(refusals) })).toEqual(["main", refusals]);
});

test.each(["", "{}", "[{}]", '[{"id": "i-1"}]', "null"])(
  "what is none (%s) is as if there was none",
  (detail) => {
    expect(refusalsOf({ workflow: "main", detail })).toEqual(["main", new Map()]);
  },
);
