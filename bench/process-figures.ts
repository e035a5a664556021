/** What the kernel says about a process. Linux only. */
import { readFileSync } from "node:fs";

/** USER_HZ: what /proc counts in, 100 on every Linux. */
const TICKS_PER_SECOND = 100;

const AFTER_NAME = 3;
const UTIME = 14 - AFTER_NAME;
const STIME = 15 - AFTER_NAME;

export interface ProcessFigures {
  /** User and system time of the process itself, without its children, in seconds. */
  readonly cpu: number;
  /** Resident now, and at most so far, in MB of a million bytes. */
  readonly rss: number;
  readonly peak: number;
}

/** @throws Error when the process is gone */
export function figuresOf(pid: number): ProcessFigures {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The second field is the program's name in brackets, which may hold blanks; the third follows the last bracket.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return {
    cpu: ((fields[UTIME] ?? Number.NaN) + (fields[STIME] ?? Number.NaN)) / TICKS_PER_SECOND,
    rss: megabytes(status, "VmRSS"),
    peak: megabytes(status, "VmHWM"),
  };
}

function megabytes(status: string, name: string): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}
