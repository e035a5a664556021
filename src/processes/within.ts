import { setTimeout as sleep } from "node:timers/promises";

/** Whether `work` has come to its end within so many milliseconds. Leaves no timer behind. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = sleep(Math.max(0, ms), false, { signal: done.signal });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    done.abort();
    // Nobody waits for it any more; its end by the signal above is no news.
    late.catch(() => {});
  }
}
