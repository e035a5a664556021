/**
 * WORKFLOW.md saved in every wrong way while the daemon runs. Good and bad is known from how a save was made; of
 * random ones only what must hold for all.
 */
import { gc } from "../collect.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { generator } from "../random.ts";
import type { Suite } from "../suite.ts";
import { type Case, withKeys } from "./case.ts";
import { cases, cutAt } from "./cases.ts";
import { Reloads } from "./reloads.ts";
import { randomCase } from "./random.ts";
import { clear, losses, saves } from "./saves.ts";
import { watched } from "./watched.ts";

/** Of CPU, for one look: the daemon does nothing else meanwhile. */
const LOOK_MAX_MS = 1_500;
const HEAP_GROWTH_MAX_MIB = 50;
/** Real time passes in these; a debounced event takes 60 ms. */
const watchedFor = (rounds: number): number => (rounds >= 1_000 ? 40 : 6);

export const wrongSaves: Suite = {
  name: "F24",
  promise:
    "whatever is saved as WORKFLOW.md, the last good one stays in force and the next tick says what is wrong",
  rounds: { test: 150, ci: 1_000, release: 10_000 },
  run: async (rounds, seed) => {
    const reloads = new Reloads();
    const random = generator(seed);
    const one = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
    try {
      for (const known of cases(reloads.marker())) await reloads.reload(known, "known", one(saves));
      const before = gc();
      for (let round = 0; round < rounds; round++) {
        const name = `round ${round} of seed ${seed}`;
        await reloads.reload(caseOf(round, reloads.marker(), random), name, one(saves));
        if (round % 25 === 0) for (const { name: loss, lose } of losses) reloads.lose(loss, lose, clear);
      }
      const heapGrowthMiB = Math.max(0, (gc() - before) / 2 ** 20);
      const latestMs = await watched(watchedFor(rounds), random);
      return { rounds, ...reloads.figures(), heapGrowthMiB, watched: watchedFor(rounds), latestMs };
    } finally {
      reloads.end();
    }
  },
  judge: all(
    none("notKept", "notTaken", "unseen", "unnamed", "leaked", "repeated", "threw"),
    atLeast({ rounds: 1, known: 300, good: 30, bad: 300, lost: 5, random: 1, watched: 1 }),
    atMost({
      slowestLookMs: LOOK_MAX_MS,
      slowestPromptMs: LOOK_MAX_MS,
      heapGrowthMiB: HEAP_GROWTH_MAX_MIB,
      latestMs: 5_000,
    }),
  ),
};

/** Half a save, a good one, or a random one. */
function caseOf(round: number, marker: number, random: () => number): Case {
  if (round % 10 === 0)
    return { name: "a good one", content: withKeys(marker), expect: { good: true, marker } };
  if (round % 3 !== 0) return randomCase(random);
  const text = withKeys(marker, { codex: { model: "a: b" }, hooks: { before_run: "set -e\ntrue\n" } });
  return cutAt(marker, text, Math.floor(random() * (text.length + 1)));
}
