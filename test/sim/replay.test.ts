/** A seed is worth keeping because it replays: nothing in a world goes by anything but its seed. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { decide } from "../../src/scheduler/decide.ts";
import { World } from "./world.ts";

/** Long enough for daemons to be killed and to recover. */
const DAYS = 2;

/** All that is said to the schedulers of a world and that they decide, as one number; and how many steps that is. */
function lived(seed: number): { readonly steps: number; readonly digest: string } {
  const hash = createHash("sha256");
  let steps = 0;
  const listening: typeof decide = (state, event) => {
    const decision = decide(state, event);
    const { records, facts, work } = decision;
    hash.update(JSON.stringify([event, records, facts, work]));
    steps += 1;
    return decision;
  };
  expect(new World({ seed, days: DAYS, decide: listening }).run()).toEqual([]);
  return { steps, digest: hash.digest("hex") };
}

test("the same seed lives through the same steps, another one through others", () => {
  const first = lived(1);
  expect(first.steps).toBeGreaterThan(0);
  expect(lived(1)).toEqual(first);
  expect(lived(2)).not.toEqual(first);
});
