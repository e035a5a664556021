/** What the kernel says about a process. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

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

/** Of the children that were waited for, likewise. */
const CUTIME = 16 - AFTER_NAME;
const CSTIME = 17 - AFTER_NAME;

/** CPU seconds of all children of this process that have ended so far. */
export function cpuOfChildren(): number {
  const fields = statOf(process.pid);
  return ((fields[CUTIME] ?? Number.NaN) + (fields[CSTIME] ?? Number.NaN)) / TICKS_PER_SECOND;
}

/**
 * CPU milliseconds of the threads that a process has now, exact to less than one: for what takes less than the steps of
 * 10 ms that `figuresOf` counts in. The difference of two is right as long as no thread ends between them.
 */
export const exactCpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1"))
    .reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e6;

/** @throws Error when the process is gone */
export function figuresOf(pid: number): ProcessFigures {
  const fields = statOf(pid);
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return {
    cpu: ((fields[UTIME] ?? Number.NaN) + (fields[STIME] ?? Number.NaN)) / TICKS_PER_SECOND,
    rss: megabytes(status, "VmRSS"),
    peak: megabytes(status, "VmHWM"),
  };
}

function statOf(pid: number): readonly number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The second field is the program's name in brackets, which may hold blanks; the third follows the last bracket.
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

function megabytes(status: string, name: string): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}
