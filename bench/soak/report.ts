/** What a soak has seen, from the outside: the board, the ledger, the log, the directories and the processes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fieldsOf } from "../../src/domain/domain.ts";
import type { SoakDaemon } from "./daemon.ts";
import { shapesOf } from "./said.ts";
import { PROJECTS, type Town } from "./town.ts";

export interface SoakSeen {
  readonly daemon: SoakDaemon;
  readonly town: Town;
  readonly story: readonly string[];
  readonly peak: number;
  readonly cpu: number;
  /** Exit codes of `baton status`, and how often. */
  readonly codes: ReadonlyMap<string, number>;
  readonly directory: string;
}

export interface SoakReport {
  readonly text: string;
  /** How much was lost, doubled or left behind. */
  readonly problems: number;
}

const SHAPES_MAX = 80;

export function reportOf(seen: SoakSeen): SoakReport {
  const { daemon, town, story, peak, cpu, codes, directory } = seen;
  const check = daemon.ask("ledger", "check");
  const status = daemon.ask("status");
  const left = leftProcesses(directory);
  const doubled = doubledRuns(daemon.lines());
  const shapes = shapesOf(daemon.lines());
  const count = (record: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>): string =>
    [...(record instanceof Map ? record : Object.entries(record))]
      .map(([key, value]) => `${key} ${value}`)
      .join(", ");
  const text = [
    ...story,
    "",
    `labelled tickets: ${count(town.census())}`,
    `people: ${count(town.deeds)}`,
    `requests to the tracker: ${town.board.requests()}`,
    `status answered with: ${count(codes)}`,
    `daemon: ${cpu.toFixed(1)} CPU s, at most ${peak.toFixed(0)} MB`,
    `workspaces left: ${PROJECTS.map((name) => `${name} ${entries(join(directory, `workspaces-${name}`))}`).join(", ")}`,
    `processes left: ${left.length === 0 ? "none" : left.join(", ")}`,
    `two runs of one ticket at the same time: ${doubled}`,
    `ledger check -> ${check.code}: ${check.out.trim().split("\n").at(-1)}`,
    "",
    status.out,
    "what the log said, by shape:",
    ...shapes
      .slice(0, SHAPES_MAX)
      .map(({ level, fact, text: words, count: n }) => `${n}\t${level}\t${fact}\t${words}`),
  ].join("\n");
  return { text, problems: left.length + doubled + (check.code === 0 ? 0 : 1) };
}

const entries = (directory: string): number => {
  try {
    return readdirSync(directory).filter((name) => !name.startsWith(".")).length;
  } catch {
    return 0;
  }
};

/** Agents that outlived the daemon: whatever works below the directory. */
function leftProcesses(directory: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`PWD=${directory}/workspaces-`);
      } catch {
        return false;
      }
    });
}

/** Runs that began while another one of their ticket had not ended, as the log tells it; a kill ends what was under way. */
function doubledRuns(lines: readonly string[]): number {
  const open = new Map<string, string>();
  let doubled = 0;
  for (const line of lines) {
    const { fact, issue_id: issue, run_id: run } = fieldsOf(parsedOr(line));
    if (fact === "daemon_started") open.clear();
    if (typeof issue !== "string" || typeof run !== "string") continue;
    if (fact === "run_started") {
      if (open.has(issue) && open.get(issue) !== run) doubled += 1;
      open.set(issue, run);
    }
    if (fact === "run_ended" && open.get(issue) === run) open.delete(issue);
  }
  return doubled;
}

function parsedOr(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
