/**
 * SIGTERM at a random moment of the real daemon's life, its start included; sometimes a second one, agents that take
 * their time, and agents that take no signal at all. It exits with 0 in time, and nothing is left: no process, no open run.
 *
 * Before it listens for signals there is nothing to end, and it dies of the first one as any program does (`early`); that
 * it had not begun anything is judged all the same.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Daemon } from "../../lifecycle/daemon-rig.ts";
import { Ground, NO_LIMITS } from "./ground.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { generator } from "../random.ts";
import type { Suite } from "../suite.ts";

const GRACE_MS = 1_000;

/** C6: the drain, and what it takes to end agents that do not want to go. */
const STOP_MAX_MS = GRACE_MS + 12_000;

/**
 * Half of them are stopped at any moment of their start (one listens some 120 ms after its launch where nothing else runs), the
 * others so long after they have an agent at work.
 */
const YOUNG_MIN_MS = 100;
const YOUNG_MAX_MS = 800;
const BUSY_MAX_MS = 200;

/** Within 300 ms a second signal is the first one, heard twice. */
const SECOND_MIN_MS = 320;
const SECOND_MAX_MS = 700;

const TICKETS = 2;

/** Daemons with grounds of their own, at once: most of a life is waiting. */
const LANES_MAX = 2;

const SCRIPT = "stray\nwrite:work\nwait:20\nuse:50\nwait:150";

export const stopsAtAnyMoment: Suite = {
  name: "F18",
  linuxOnly: "/proc tells which run a process belongs to",
  promise:
    "asked to stop at any moment, the daemon exits with 0 in time and leaves no process and no open run",
  rounds: { test: 4, ci: 200, release: 1_000 },
  run: async (rounds, seed) => {
    const grounds: Ground[] = [];
    try {
      const lanes = Math.min(LANES_MAX, Math.ceil(rounds / 10));
      for (let lane = 0; lane < lanes; lane += 1) grounds.push(await Ground.open());
      const counts = await Promise.all(
        grounds.map((ground, lane) => {
          const share = Math.floor(rounds / lanes) + (lane < rounds % lanes ? 1 : 0);
          return stops(ground, share, seed * LANES_MAX + lane);
        }),
      );
      return { rounds, ...counts.reduce(sum) };
    } finally {
      // The last one stands on the ground of the first.
      for (const ground of grounds.reverse()) await ground.end();
    }
  },
  judge: (figures) =>
    all(
      none("badExits", "processesLeft", "runsLeft", "startedAfter", "lost"),
      atMost({ slowestStopMs: STOP_MAX_MS, early: (figures["rounds"] ?? 0) / 2 }),
      atLeast({
        atWork: Math.floor((figures["rounds"] ?? 0) / 4),
        clean: Math.floor((figures["rounds"] ?? 0) / 2),
      }),
    )(figures),
};

const newCounts = () => ({
  /** Exits with 0. */
  clean: 0,
  early: 0,
  /** Stops with agents at work. */
  atWork: 0,
  /** Second signals that met a daemon that was still stopping. */
  secondSignals: 0,
  stubborn: 0,
  badExits: 0,
  processesLeft: 0,
  runsLeft: 0,
  /** Runs and daemons that began after the stop. */
  startedAfter: 0,
  lost: 0,
  slowestStopMs: 0,
});

type Counts = ReturnType<typeof newCounts>;

function sum(a: Counts, b: Counts): Counts {
  const both = { ...a };
  for (const name of Object.keys(both) as (keyof Counts)[]) both[name] += b[name];
  return { ...both, slowestStopMs: Math.max(a.slowestStopMs, b.slowestStopMs) };
}

async function stops(ground: Ground, rounds: number, seed: number): Promise<Counts> {
  const random = generator(seed);
  const counts = newCounts();
  const tickets = Array.from({ length: TICKETS }, () => ground.ticket(SCRIPT));
  for (let round = 0; round < rounds; round += 1) {
    const manner = mannerOf(random());
    ground.write({ agents: TICKETS, maxTurns: 1_000, extra: SETTINGS }, manner);
    const daemon = ground.baton();
    const before = { ...counts };
    if (random() < 0.5) await sleep(YOUNG_MIN_MS + random() * (YOUNG_MAX_MS - YOUNG_MIN_MS));
    else {
      await daemon.said("turn_started");
      await sleep(random() * BUSY_MAX_MS);
    }
    await stop(daemon, random, counts);
    if (manner === "stubborn") counts.stubborn += 1;
    judge(ground, daemon, counts);
    complain(`${stopsAtAnyMoment.name} seed ${seed} round ${round} ${manner}`, before, counts, daemon);
    // What is closed goes while others stop: removals and rescues are under way, too.
    if (random() < 0.3) {
      ground.close(tickets.shift() ?? "");
      tickets.push(ground.ticket(SCRIPT));
    }
  }
  return counts;
}

const SETTINGS = `shutdown: {grace_ms: ${GRACE_MS}}\nlimits: {${NO_LIMITS}, max_failures: 100000}`;

const mannerOf = (chance: number): string => (chance < 0.05 ? "stubborn" : chance < 0.25 ? "slow" : "");

async function stop(daemon: Daemon, random: () => number, counts: Counts): Promise<void> {
  const over = new AbortController();
  void daemon.exit.then(() => over.abort());
  const begun = performance.now();
  daemon.child.kill("SIGTERM");
  if (random() < 0.4) {
    const ms = SECOND_MIN_MS + random() * (SECOND_MAX_MS - SECOND_MIN_MS);
    await sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
    if (!over.signal.aborted) {
      counts.secondSignals += 1;
      daemon.child.kill("SIGTERM");
    }
  }
  const timer = setTimeout(() => daemon.child.kill("SIGKILL"), STOP_MAX_MS + 2_000);
  await daemon.exit;
  clearTimeout(timer);
  counts.slowestStopMs = Math.max(counts.slowestStopMs, Math.round(performance.now() - begun));
}

function judge({ rig, witness }: Ground, daemon: Daemon, counts: Counts): void {
  const { exitCode, signalCode } = daemon.child;
  if (exitCode === 0) counts.clean += 1;
  else if (signalCode === "SIGTERM" && daemon.lines.length === 0) counts.early += 1;
  else counts.badExits += 1;
  const said = (fact: string): boolean => daemon.lines.some((line) => line["fact"] === fact);
  if (said("turn_started")) counts.atWork += 1;
  const stopping = daemon.lines.findIndex(({ fact }) => fact === "daemon_stopping");
  if (stopping !== -1)
    counts.startedAfter += daemon.lines.slice(stopping).filter(({ fact }) => fact === "claimed").length;
  const stopped = daemon.lines.findIndex(({ fact }) => fact === "daemon_stopped");
  if (stopped !== -1)
    counts.startedAfter += daemon.lines.slice(stopped).filter(({ fact }) => fact === "daemon_started").length;
  counts.processesLeft += witness.alive().length;
  if (!rig.hasLedger()) return;
  counts.runsLeft += witness.openRuns();
  counts.lost += witness.lost(daemon);
}

function complain(where: string, before: Counts, now: Counts, daemon: Daemon): void {
  const worse = (["badExits", "processesLeft", "runsLeft", "startedAfter", "lost"] as const).filter(
    (name) => now[name] > before[name],
  );
  if (worse.length === 0) return;
  const { exitCode, signalCode } = daemon.child;
  const last = daemon.lines.slice(-12).map((line) => `  ${String(line["fact"])} ${String(line["msg"])}`);
  process.stderr.write(
    `${where}: ${worse.join(", ")}; exit ${exitCode ?? signalCode}\n${[...daemon.noise, ...last].join("\n")}\n`,
  );
}
