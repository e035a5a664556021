/**
 * Finds processes by what stands in their environment. Codex runs each command as a session of its own, so killing the
 * agent's group does not reach them; the mark they inherited does. Linux only: elsewhere nothing is found.
 */
import { closeSync, openSync, readFileSync, readSync, readdirSync } from "node:fs";

/** An environment is at most some pages long in practice; one that is longer is searched up to here. */
const ENVIRON_BYTES_MAX = 256 * 1024;

const buffer = Buffer.alloc(ENVIRON_BYTES_MAX);

/** Pids of the processes that carry one of these `NAME=value` entries, without this process. */
export const markedProcesses = (marks: readonly string[]): number[] => processesOf(marks.map(wholeEntry));

/** What only the entry itself begins with, and not a longer one: entries end with a NUL. */
export const wholeEntry = (mark: string): string => `${mark}\0`;

/** Pids of the processes that carry an entry beginning with one of these, without this process. */
export function processesOf(beginnings: readonly string[]): number[] {
  const wanted = beginnings.map((beginning) => Buffer.from(beginning));
  return processIds().filter((pid) => pid !== process.pid && carries(pid, wanted));
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
export const startTicks = (pid: number): number | null => statOf(pid)?.startTicks ?? null;

/** These processes and all that hang on them: their children, and theirs. */
export function withDescendants(pids: readonly number[]): number[] {
  const parents = new Map(processIds().map((pid) => [pid, statOf(pid)?.parent]));
  const found = new Set(pids);
  let before = -1;
  while (found.size > before) {
    before = found.size;
    for (const [pid, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** This process, and those it was started by. */
export function ownAncestors(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = statOf(pid)?.parent ?? 0) found.add(pid);
  return found;
}

interface Stat {
  readonly parent: number;
  readonly startTicks: number;
}

function statOf(pid: number): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name, which may hold blanks and brackets; the third follows the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [parent, ticks] = [Number(fields[PARENT]), Number(fields[START_TICKS])];
    return Number.isSafeInteger(ticks) && fields[0] !== "Z" ? { parent, startTicks: ticks } : null;
  } catch {
    return null;
  }
}

/** Fields as proc(5) counts them, from the third on. */
const PARENT = 4 - 3;
const START_TICKS = 22 - 3;

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
