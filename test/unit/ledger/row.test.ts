import * as fc from "fast-check";
import { expect, test } from "vitest";
import { failure } from "../../../src/domain/failure.ts";
import { parseFailure } from "../../../src/ledger/claim-text.ts";
import {
  failureColumns,
  noTokenColumns,
  tokenColumns,
  tokenNames,
  tokensOf,
} from "../../../src/ledger/row.ts";

test("tokens go into their columns and come back, each into its own", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
      ([input = 0, cachedInput = 0, output = 0, reasoningOutput = 0, total = 0]) => {
        const tokens = { input, cachedInput, output, reasoningOutput, total };
        expect(tokensOf(tokenColumns(tokens))).toEqual(tokens);
        expect(Object.keys(tokenColumns(tokens))).toEqual([...tokenNames]);
      },
    ),
  );
  expect(Object.values(noTokenColumns)).toEqual([0, 0, 0, 0, 0]);
});

test("a failure is there for people, and whole to be read back; none is three times nothing", () => {
  const why = failure("hook_failed", "It failed.", { hint: "Look.", resetsAt: 7 });
  const { failure_kind, error, failure: json } = failureColumns(why);
  expect([failure_kind, error, parseFailure(json ?? "")]).toEqual(["hook_failed", "It failed.", why]);
  expect(failureColumns(null)).toEqual({ failure_kind: null, error: null, failure: null });
});
