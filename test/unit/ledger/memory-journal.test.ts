import { expect, test } from "vitest";
import { Journal } from "../../../src/ledger/memory-journal.ts";

test("when the work throws, everything is as before: what was changed, new and gone", () => {
  const [journal, map] = [
    new Journal(),
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
  ];
  const failing = (): void =>
    journal.allOrNothing(() => {
      journal.set(map, "a", 9);
      journal.set(map, "a", 10);
      journal.set(map, "c", 3);
      journal.delete(map, "b");
      throw new Error("no");
    });
  expect(failing).toThrow("no");
  expect(Object.fromEntries(map)).toEqual({ a: 1, b: 2 });
});

test("what has succeeded is not taken back by a later failure", () => {
  const [journal, map] = [new Journal(), new Map<string, number>()];
  journal.allOrNothing(() => journal.set(map, "a", 1));
  expect(() =>
    journal.allOrNothing(() => {
      throw new Error("no");
    }),
  ).toThrow();
  expect([...map]).toEqual([["a", 1]]);
});
