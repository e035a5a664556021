/**
 * Finds processes by what stands in their environment. Codex runs each command as a session of its own, so killing the
 * agent's group does not reach them; the mark they inherited does. Linux only: elsewhere nothing is found.
 */
import { closeSync, openSync, readFileSync, readSync, readdirSync } from "node:fs";

/** An environment is at most some pages long in practice; one that is longer is searched up to here. */
const ENVIRON_BYTES_MAX = 256 * 1024;

const buffer = Buffer.alloc(ENVIRON_BYTES_MAX);

/** Pids of the processes that carry one of these `NAME=value` entries, without this process. */
export function markedProcesses(marks: readonly string[]): number[] {
  const wanted = marks.map((mark) => Buffer.from(`${mark}\0`));
  return processIds().filter((pid) => pid !== process.pid && carries(pid, wanted));
}

/** Pids of the processes that carry an entry beginning with one of these, without this process. */
export function processesOf(beginnings: readonly string[]): number[] {
  const wanted = beginnings.map((beginning) => Buffer.from(beginning));
  return processIds().filter((pid) => pid !== process.pid && carries(pid, wanted));
}

/** Kills them all and says how many there were. */
export function killMarked(marks: readonly string[]): number {
  const pids = markedProcesses(marks);
  for (const pid of pids) killQuietly(pid, "SIGKILL");
  return pids.length;
}

/** A process, or with a negative id a group, that is gone already is what was wanted. */
export function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone. EPERM: became somebody else's, which is not ours to end.
  }
}

/**
 * Start of a process in clock ticks since boot, field 22 of its stat: with the pid it names one process for good. Null
 * where there is no /proc, or no such process, or one that is dead and only waits to be reaped.
 */
export function startTicks(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name, which may hold blanks and brackets; the third follows the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[FIELD_AFTER_NAME]);
    return Number.isSafeInteger(ticks) && fields[0] !== "Z" ? ticks : null;
  } catch {
    return null;
  }
}

const FIELD_AFTER_NAME = 22 - 3;

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function carries(pid: number, wanted: readonly Buffer[]): boolean {
  const environ = environmentOf(pid);
  return environ.length > 0 && wanted.some((mark) => beginsEntry(environ, mark));
}

/** The mark as an entry of its own: not as the end of another variable's value. */
function beginsEntry(environ: Buffer, mark: Buffer): boolean {
  let at = environ.indexOf(mark);
  while (at > 0 && environ[at - 1] !== 0) at = environ.indexOf(mark, at + 1);
  return at !== -1;
}

/** Read by hand into one buffer: this runs once per run over all processes of the machine. */
function environmentOf(pid: number): Buffer {
  let file: number;
  try {
    file = openSync(`/proc/${pid}/environ`, "r");
  } catch {
    return Buffer.alloc(0); // gone, or another user's
  }
  try {
    let length = 0;
    let read = readSync(file, buffer, 0, ENVIRON_BYTES_MAX, null);
    while (read > 0 && length + read < ENVIRON_BYTES_MAX) {
      length += read;
      read = readSync(file, buffer, length, ENVIRON_BYTES_MAX - length, null);
    }
    return buffer.subarray(0, length + read);
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(file);
  }
}
