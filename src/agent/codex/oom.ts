/** What the system says about memory. */
import { readFileSync } from "node:fs";

/**
 * How many processes Linux has ended for want of memory since boot, those that reached a limit of their own included; 0
 * where it does not say. Of the whole machine, also inside a container: a rise says that it may have been ours.
 */
export function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
