/** Waits for a fact that nobody tells of: a process that is gone, a file that is there, a row that was written. */
import { setTimeout as pause } from "node:timers/promises";

/** Longer than anything here takes on a busy machine; a wait that ends by it is a failed test. */
const PATIENCE_MS = 10_000;
/** A look may read all of /proc: more of them would be what keeps the machine busy. */
const PAUSE_MS = 20;

/** What `check` answers, once it neither throws nor rejects; throws what it threw last when `ms` are over. */
export async function eventually<T>(check: () => T | Promise<T>, ms = PATIENCE_MS): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= end) throw error;
    }
    await pause(PAUSE_MS);
  }
}
