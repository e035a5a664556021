import fc from "fast-check";
import { expect, test } from "vitest";
import { unroutable } from "../../../src/scheduler/eligible.ts";
import { madePolicy } from "./made.ts";
import { World } from "./world.ts";

/** Enough for every branch of a life to be met many times, few enough for a second. */
const WALKS = { numRuns: 300, interruptAfterTimeLimit: 20_000 };
const choices = fc.array(fc.nat({ max: 2 ** 24 }), { minLength: 50, maxLength: 250 });

test("whatever happens in whatever order, the invariants hold after every step and no issue has two agents", () => {
  fc.assert(
    fc.property(choices, (walk) => {
      const world = new World(5);
      for (const choice of walk) world.step(choice);
    }),
    WALKS,
  );
});

test("once faults stop, every active, routable, unparked issue gets to run and no agent is left alive", () => {
  fc.assert(
    fc.property(choices, (walk) => {
      const world = new World(4);
      for (const choice of walk) world.step(choice);
      world.calm(400);
      const left = world.issues
        .filter((issue) => unroutable(issue, madePolicy()) === null)
        .filter((issue) => world.bench.claim(issue)?.phase !== "parked")
        .map((issue) => issue.identifier);
      expect(left).toEqual([]);
      expect([...world.alive.values()]).toEqual([]);
    }),
    { ...WALKS, numRuns: 150 },
  );
});
