/**
 * Processes that a test looks for: in the ways of the program itself, and past them, so that a fault in those is seen.
 * Without /proc the second way is `ps` too, read by other lines.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { wholeEntry } from "../src/processes/census.ts";
import { machine } from "../src/processes/machine.ts";

/** Pids of the processes that carry one of these `NAME=value` entries, without this process. */
export const markedProcesses = (marks: readonly string[]): readonly number[] =>
  machine
    .look()
    .carriers(marks.map(wholeEntry))
    // A look may be a second old in what it says of the dead.
    .filter((pid) => startTicks(pid) !== null);

/** When the process began; null when none lives. */
export const startTicks = (pid: number): number | null => machine.startOf(pid);

export interface Shown {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** With whatever there is between its entries; with ps the command is a part of it. */
  readonly environment: string;
}

/** All processes but this one, past the ways of the program itself. */
export const shownProcesses = (): readonly Shown[] =>
  (existsSync("/proc/self/stat") ? shownByProc() : shownByPs()).filter(({ pid }) => pid !== process.pid);

const shownByProc = (): readonly Shown[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({
      pid: Number(name),
      parent: Number(/^PPid:\s+(\d+)$/m.exec(textOf(name, "status"))?.[1] ?? 0),
      command: textOf(name, "cmdline").replaceAll("\0", " ").trim(),
      environment: textOf(name, "environ"),
    }));

function textOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // Gone between the listing and the reading.
    return "";
  }
}

const shownByPs = (): readonly Shown[] => {
  const { stdout } = spawnSync("ps", ["-AEww", "-o", "pid=", "-o", "ppid=", "-o", "command="], {
    encoding: "utf8",
  });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? [];
    return pid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command, environment: command }];
  });
};

/** Pids of the processes that have this in their command lines, those of the dead left out. */
export const processesNamed = (word: string): readonly number[] =>
  shownProcesses().flatMap(({ pid, command }) =>
    command.includes(word) && startTicks(pid) !== null ? [pid] : [],
  );
