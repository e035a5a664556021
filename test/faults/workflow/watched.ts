/**
 * The same through the watcher, in real time: a save is noticed without a tick. Not through links: what is behind one may
 * change without its directory, and then it is the next tick that notices.
 */
import { setTimeout as delay } from "node:timers/promises";
import { withKeys } from "./case.ts";
import { clear, saves } from "./saves.ts";
import { World } from "./world.ts";

const direct = saves.slice(0, 3);

const NOTICE_MAX_MS = 10_000;

/** So many saves, good and bad in turn; answers how long the slowest was not noticed. */
export async function watched(times: number, random: () => number): Promise<number> {
  const world = new World();
  let latestMs = 0;
  try {
    await world.watching(async (next) => {
      for (let time = 0; time < times; time++) {
        const isGood = time % 2 === 0;
        const content = isGood ? withKeys(time + 2) : `---\nbroken ${time}`;
        const noticed = next();
        const savedAt = performance.now();
        if (time % 5 === 4) clear(world.file);
        direct[Math.floor(random() * direct.length)]?.(world.file, content);
        const fact = await Promise.race([noticed, delay(NOTICE_MAX_MS, null, { ref: false })]);
        const isRight = fact?.type === (isGood ? "workflow_loaded" : "workflow_rejected");
        if (!isRight) process.stderr.write(`save ${time} was noticed as ${fact?.type}\n`);
        latestMs = Math.max(latestMs, isRight ? performance.now() - savedAt : NOTICE_MAX_MS);
      }
    });
  } finally {
    world.end();
  }
  return Math.round(latestMs);
}
