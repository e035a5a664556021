/** What it costs to start, as multiples of a Node that does nothing: the same on a fast machine and on a slow one. */
import { spawnSync } from "node:child_process";
import { oneStart } from "./cold-start.ts";
import { environmentIn } from "./daemon.ts";
import { aside, median, multiple, type Figure } from "./figure.ts";
import type { Place } from "./place.ts";
import { cpuOfChildren } from "./process-figures.ts";
import { here, programIn } from "./program.ts";
import { session, type Session } from "./session.ts";

const ROUNDS = 15;
const TICKETS = 10;
const READY_MS = 30_000;

/** A command that takes longer than this hangs. */
const COMMAND_MS = 20_000;

interface Cost {
  /** From asking for the process to its end, or to its first request. */
  readonly ms: number;
  readonly cpu: number;
}

const commands = [
  { what: "--help", args: ["--help"], max: 2 },
  { what: "status", args: ["status"], max: 3 },
  { what: "runs", args: ["runs"], max: 3 },
] as const;

const FIRST_REQUEST_MAX = 5;

/** One of each, as close together as they can be: what slows one down slows down the others. */
interface Round {
  readonly bare: Cost;
  readonly request: Cost;
  readonly commands: readonly Cost[];
}

export const multiples = (): Promise<readonly Figure[]> =>
  session(1, async (all) => {
    const place = await placeWithRuns(all);
    await oneRound(all, place); // fills Node's compile cache
    const rounds: Round[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await oneRound(all, place));
    const bare = rounds.map((round) => round.bare);
    return [
      aside("a bare `node -e 0`", `${median(bare.map(({ ms }) => ms)).toFixed(0)} ms`, cpuWords(bare)),
      times("  start to first tracker request", FIRST_REQUEST_MAX, rounds, (round) => round.request),
      ...commands.map(({ what, max }, i) =>
        times(`  \`baton ${what}\``, max, rounds, (round) => round.commands[i] ?? round.bare),
      ),
    ];
  });

function times(what: string, max: number, rounds: readonly Round[], pick: (round: Round) => Cost): Figure {
  const picked = rounds.map(pick);
  const ratio = median(rounds.map((round) => pick(round).ms / round.bare.ms));
  const how = `median of ${ROUNDS} ratios; ${median(picked.map(({ ms }) => ms)).toFixed(0)} ms, ${cpuWords(picked)}, ${(
    meanCpu(picked) / meanCpu(rounds.map(({ bare }) => bare))
  ).toFixed(1)} times that of the bare one`;
  return multiple(what, ratio, { max, how, digits: 1 });
}

// A mean, because the kernel counts in steps of 10 ms.
const meanCpu = (costs: readonly Cost[]): number =>
  costs.reduce((sum, { cpu }) => sum + cpu, 0) / costs.length;

const cpuWords = (costs: readonly Cost[]): string => `${(meanCpu(costs) * 1000).toFixed(0)} CPU ms`;

/** A place whose ledger has something to read, and no daemon. */
async function placeWithRuns({ board, daemon: start }: Session): Promise<Place> {
  board.add(TICKETS);
  const { daemon, place } = start({ agent: "work", agentsMax: TICKETS, pollMs: 30_000 });
  await daemon.until("workspace_removed", TICKETS, READY_MS);
  await daemon.stop();
  return place;
}

async function oneRound(all: Session, place: Place): Promise<Round> {
  const bare = command(place, ["-e", "0"]);
  const request = await oneStart(all);
  return {
    bare,
    request,
    commands: commands.map(({ args }) => command(place, [programIn(here), ...args])),
  };
}

function command(place: Place, args: readonly string[]): Cost {
  const cpuBefore = cpuOfChildren();
  const askedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: place.directory,
    env: environmentIn(place),
    timeout: COMMAND_MS,
    encoding: "utf8",
  });
  const ms = performance.now() - askedAt;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return { ms, cpu: cpuOfChildren() - cpuBefore };
}
