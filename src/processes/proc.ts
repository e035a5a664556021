/** Processes as Linux shows them: one directory of files each, under /proc. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { codeOf } from "../domain/domain.ts";
import type { Listed, Processes } from "./port.ts";

/** An environment is at most some pages long in practice; one that is longer is searched up to here. */
const ENVIRON_BYTES_MAX = 256 * 1024;

/** A line of numbers and one short name. */
const STAT_BYTES_MAX = 2 * 1024;

/** One for all: these files are read by the hundred, one after the other. */
const buffer = Buffer.alloc(ENVIRON_BYTES_MAX);

/** Processes by /proc. Start times are clock ticks since boot. */
export const procfs: Processes = {
  source: "/proc",
  list(known) {
    const listed = new Map<number, Listed>();
    for (const pid of processIds()) {
      const one = known.get(pid) ?? statOf(pid);
      if (one !== null) listed.set(pid, one);
    }
    return listed;
  },
  read: (pids) => new Map(pids.flatMap((pid) => pairOf(pid, statOf(pid)))),
  environments(of, names) {
    const wanted = [...names].map((name) => Buffer.from(`${name}=`));
    return new Map(of.flatMap((one) => pairOf(one.pid, entriesOf(one, wanted))));
  },
  bootId() {
    try {
      return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    } catch {
      return null;
    }
  },
  oomKills() {
    try {
      return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "latin1"))?.[1] ?? 0);
    } catch {
      return 0;
    }
  },
};

const pairOf = <T>(pid: number, value: T | null): readonly (readonly [number, T])[] =>
  value === null ? [] : [[pid, value]];

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Null when there is no such process, or only what is left of one until it is reaped. */
function statOf(pid: number): Listed | null {
  const length = readInto(`/proc/${pid}/stat`, STAT_BYTES_MAX);
  if (typeof length !== "number") return null;
  const stat = buffer.toString("latin1", 0, length);
  // The second field is the program's name, which may hold blanks and brackets; the third follows the last bracket.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const start = Number(fields[START_TICKS]);
  if (fields[STATE] === "Z" || fields[STATE] === "X" || !Number.isSafeInteger(start)) return null;
  return {
    pid,
    start,
    parent: Number(fields[PARENT]),
    group: Number(fields[GROUP]),
    program:
      fields[MEMORY] === "0"
        ? ""
        : `${stat.slice(0, end)} ${PROGRAM.map((field) => fields[field]).join(" ")}`,
  };
}

/** Fields as proc(5) counts them, from the third on. */
const STATE = 0;
const PARENT = 4 - 3;
const GROUP = 5 - 3;
const START_TICKS = 22 - 3;
const MEMORY = 23 - 3;
/**
 * Where the code begins and ends, and where the stack, the arguments and the environment are: all of it is somewhere
 * else after an exec. The last two say where the environment is.
 */
const PROGRAM = [26, 27, 28, 48, 49, 50, 51].map((field) => field - 3);

/** Null when it may become readable: the process is just becoming another program. */
function entriesOf({ pid, start, program }: Listed, wanted: readonly Buffer[]): readonly string[] | null {
  if (program === "") return [];
  const length = readInto(`/proc/${pid}/environ`, ENVIRON_BYTES_MAX);
  if (typeof length !== "number") return length === "EACCES" || length === "EPERM" ? [] : null;
  // In the midst of an exec it is empty; in a process without any it is so for good, and has a place all the same. What
  // was listed may be older than the exec.
  if (length === 0) {
    const now = statOf(pid);
    return now?.start !== start || now.program !== program || program.endsWith(" 0 0") ? null : [];
  }
  const environ = buffer.subarray(0, length);
  return wanted.flatMap((name) => entriesNamed(environ, name));
}

/** The name as the beginning of an entry: not within another variable's value. */
function entriesNamed(environ: Buffer, name: Buffer): readonly string[] {
  const found: string[] = [];
  for (let at = environ.indexOf(name); at !== -1; at = environ.indexOf(name, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    // One that was cut off is none.
    if (end !== -1) found.push(environ.toString("utf8", at, end + 1));
  }
  return found;
}

/**
 * How much there was, or the code of what went wrong. By hand, and with one read: the kernel hands out each of these
 * files at once, and `readFileSync` takes half as long again.
 */
function readInto(path: string, bytesMax: number): number | string {
  let file: number | null = null;
  try {
    file = openSync(path, "r");
    return readSync(file, buffer, 0, bytesMax, null);
  } catch (error) {
    return codeOf(error) ?? "unknown";
  } finally {
    if (file !== null) closeSync(file);
  }
}
