import { setTimeout as sleep } from "node:timers/promises";

/** Whether `work` has come to its end within so many milliseconds. Leaves no timer behind. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  try {
    return await Promise.race([
      work.then(() => true),
      sleep(Math.max(0, ms), false, { signal: done.signal }),
    ]);
  } finally {
    done.abort();
  }
}
