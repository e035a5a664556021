/** Which boot of this machine we are in: pids and start ticks begin again with each. */
import { readFileSync } from "node:fs";

let known: string | null | undefined;

/** The kernel's boot id; null where there is none (not Linux). */
export function bootId(): string | null {
  known ??= read();
  return known;
}

function read(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}
