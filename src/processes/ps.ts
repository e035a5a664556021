/**
 * Processes as `ps` prints them, where there is no /proc: macOS above all. Weaker, and each question is a program that
 * has to be started: docs/DEPLOY.md says what that means.
 */
import { spawnSync } from "node:child_process";
import type { Listed, Listing, Processes } from "./port.ts";

/** What differs between the programs of this name. */
interface Dialect {
  /** To list all, and to add the environment to the arguments of the chosen ones. */
  readonly all: readonly string[];
  readonly withEnvironment: readonly string[];
  /** Keys of sysctl, the best first. */
  readonly boot: readonly string[];
}

const dialects = {
  // The key of the session stays when somebody sets the clock; the time of the boot moves with it.
  bsd: {
    all: ["-A", "-ww"],
    withEnvironment: ["-E", "-ww"],
    boot: ["kern.bootsessionuuid", "kern.boottime"],
  },
  procps: { all: ["-A", "-ww"], withEnvironment: ["eww"], boot: ["kernel.random.boot_id"] },
} as const satisfies Readonly<Record<string, Dialect>>;

/** A loaded machine answers in a tenth of a second; one that does not answer must not stop the daemon for long. */
const ANSWER_MAX_MS = 5_000;

/** Thousands of processes with all their arguments. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Numbers in one call: their length stays far below what a command line may have. */
const PIDS_MAX = 500;

/** Each one an option of its own: in a list, some take all that follows a `=` for a heading. */
const columns = ["pid=", "ppid=", "pgid=", "stat=", "lstart=", "command="].flatMap((name) => ["-o", name]);

/** Processes by `ps`, as macOS has it (`bsd`) or Linux. Start times are seconds since 1970. */
export function ps(dialect: keyof typeof dialects): Processes {
  const { all, withEnvironment, boot } = dialects[dialect];
  const ask = (options: readonly string[], pids: readonly number[]): readonly Row[] =>
    chunksOf(pids).flatMap((some) => rowsOf(run("ps", [...options, ...columns, "-p", some.join(",")])));
  return {
    source: "ps",
    list: () => listingOf(rowsOf(run("ps", [...all, ...columns]))),
    read: (pids) => listingOf(ask(["-ww"], pids)),
    environments(of, names) {
      const programs = new Map(of.map((one) => [one.pid, one]));
      return new Map(
        ask(
          withEnvironment,
          of.map(({ pid }) => pid),
        ).flatMap(({ listed: { pid, start, program } }) => {
          const before = programs.get(pid);
          // The arguments stand in front of the environment, and nothing between them: only what we know tells them apart.
          if (before?.start !== start || !program.startsWith(before.program)) return [];
          return [[pid, entriesNamed(program.slice(before.program.length), names)]] as const;
        }),
      );
    },
    bootId() {
      for (const key of boot) {
        // Of its own kind: start times by ps say nothing to somebody who reads /proc.
        const said = run("sysctl", ["-n", key]).trim();
        if (said !== "") return `ps:${said}`;
      }
      return null;
    },
    oomKills: () => 0,
  };
}

interface Row {
  readonly listed: Listed;
  readonly isDead: boolean;
}

const rowsOf = (output: string): readonly Row[] => output.split("\n").flatMap((line) => rowOf(line) ?? []);

/** Null for what is no such line: the rest of arguments that hold an end of line. */
function rowOf(line: string): Row | null {
  const [, pid, parent, group, state = "", began = "", program = ""] = SHAPE.exec(line) ?? [];
  const start = Date.parse(`${began} UTC`) / 1_000;
  if (!Number.isInteger(start)) return null;
  return {
    listed: {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      start,
      program: program.trimEnd(),
    },
    isDead: state.startsWith("Z"),
  };
}

/** `12 1 12 Ss Sun Nov 22 01:04:54 2026 sleep 600` */
const SHAPE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+\w{3}\s+(\w{3}\s+\d+\s+[\d:]+\s+\d{4})(?:\s(.*))?$/;

const listingOf = (rows: readonly Row[]): Listing =>
  new Map(rows.flatMap(({ listed, isDead }) => (isDead ? [] : [[listed.pid, listed] as const])));

/** A value ends where the next name begins: blanks in it are not told from those between entries. */
function entriesNamed(text: string, names: ReadonlySet<string>): readonly string[] {
  const entries = text.split(/ (?=[A-Za-z_]\w*=)/);
  return entries.flatMap((entry) => (names.has(entry.slice(0, entry.indexOf("="))) ? [`${entry}\0`] : []));
}

const chunksOf = (pids: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(pids.length / PIDS_MAX) }, (_, n) =>
    pids.slice(n * PIDS_MAX, (n + 1) * PIDS_MAX),
  );

/** What it printed; nothing when it is not there, or would not end. */
const run = (program: "ps" | "sysctl", args: readonly string[]): string =>
  spawnSync(program, args, {
    encoding: "utf8",
    // The same words and the same clock, whoever starts us; sysctl is not on every PATH.
    env: { PATH: `${process.env["PATH"] ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`, LC_ALL: "C", TZ: "UTC" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: ANSWER_MAX_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    killSignal: "SIGKILL",
  }).stdout ?? "";
