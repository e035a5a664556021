import { expect, test } from "vitest";
import { stopLines } from "../../../src/cli/stops-view.ts";
import { after } from "../../../src/domain/time.ts";
import { madeHold, T0, W } from "../scheduler/made.ts";

const look = { now: T0, columns: 200, paint: (_style: unknown, text: string) => text };

test.each([
  [60_000, "in 1 min"],
  [-60_000, "now"],
])("what Codex lacks is no run's to find out: it says when Codex is looked at again (%d ms)", (ms, when) => {
  const hold = madeHold({ kind: "codex_unfit", why: "It lacks x.", remedy: "Get it.", until: after(T0, ms) });
  expect(stopLines({ pauses: new Map(), holds: new Map([[W, hold]]) }, look)).toEqual([
    `held: main until Codex has it, which is looked at again ${when}: It lacks x. What to do: Get it.`,
  ]);
});
