import fc from "fast-check";
import { expect, test } from "vitest";
import { PersistentMap } from "../../../src/scheduler/persistent-map.ts";

const changes = fc.array(
  fc.record({ key: fc.integer({ min: 0, max: 400 }).map((n) => `id-${n}`), value: fc.option(fc.nat()) }),
  { maxLength: 300 },
);

const entriesOf = (map: PersistentMap<string, number>) =>
  new Map([...map.keys()].map((key) => [key, map.get(key)]));

const inOrder = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

test("after any changes it holds what a map would hold, and each earlier one still holds what it held", () => {
  fc.assert(
    fc.property(changes, (walk) => {
      let map = PersistentMap.of<string, number>([]);
      const model = new Map<string, number>();
      const earlier: [PersistentMap<string, number>, Map<string, number>][] = [];
      for (const { key, value } of walk) {
        earlier.push([map, new Map(model)]);
        if (value === null) model.delete(key);
        else model.set(key, value);
        map = value === null ? map.without(key) : map.with(key, value);
        expect(map.size).toBe(model.size);
        expect(map.has(key)).toBe(model.has(key));
      }
      earlier.push([map, model]);
      for (const [was, should] of earlier.slice(-20)) {
        expect(entriesOf(was)).toEqual(should);
        expect(inOrder(was.values())).toEqual(inOrder(should.values()));
      }
      expect(entriesOf(PersistentMap.of(model))).toEqual(model);
    }),
  );
});

test("what is new since an earlier one is what was put there, also in the place of something", () => {
  const before = PersistentMap.of(Array.from({ length: 1_000 }, (_, n) => [`id-${n}`, { n }] as const));
  const after = before.with("id-7", { n: -7 }).with("id-1000", { n: -1 }).without("id-8");
  expect(
    after
      .newSince(before)
      .map(({ n }) => n)
      .toSorted((a, b) => a - b),
  ).toEqual([-7, -1]);
  expect(after.newSince(after)).toEqual([]);
  expect(
    before
      .newSince(after)
      .map(({ n }) => n)
      .toSorted((a, b) => a - b),
  ).toEqual([7, 8]);
});
