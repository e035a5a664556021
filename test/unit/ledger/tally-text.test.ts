import { expect, test } from "vitest";
import { parseLast, parseTold, tallyText } from "../../../src/ledger/tally-text.ts";
import { tally } from "../../contract/ledger-records.ts";

test("what was told and how the last run ended come back as they were written", () => {
  expect(parseTold(tallyText(tally.told))).toEqual(tally.told);
  expect(parseLast(tallyText(tally.last))).toEqual(tally.last);
  expect([tallyText(null), parseTold(null), parseLast(null)]).toEqual([null, null, null]);
});

test("what another version wrote, or a damaged text, is not known, and nothing else comes of it", () => {
  for (const text of ["{", "[]", '{"thread":1}', '{"outcome":"vanished"}'])
    expect([parseTold(text), parseLast(text)], text).toEqual([null, null]);
});
