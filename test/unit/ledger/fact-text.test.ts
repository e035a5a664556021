import { expect, test } from "vitest";
import { parseFact } from "../../../src/ledger/fact-text.ts";
import { run, said } from "../../contract/ledger-records.ts";

test("a fact is read back as it was", () => {
  expect(parseFact(JSON.stringify(said("hello", run(1))), 7)).toEqual(said("hello", run(1)));
});

test.each(["", "{", "null", "[]", '"text"', '{"type":"warning"}', '{"at":1}', '{"type":1,"at":1}'])(
  "what is no fact is said to be unreadable, at its time: %s",
  (json) => {
    expect(parseFact(json, 7)).toEqual({
      type: "warning",
      message: expect.stringContaining("`baton ledger check` says more"),
      at: 7,
    });
  },
);
