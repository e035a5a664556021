/**
 * The real daemon at work in real time: ten slots, agents with short turns, tickets that come and go. What it takes of
 * memory, files and disk must not grow, and it must stay quick. A round is a minute, the last figures of docs/RELIABILITY.md
 * are of a release; too long for CI, where it is not run (0 rounds).
 *
 * Resident memory goes up and down by megabytes, so that ten minutes say little about an hour: the slope is judged by what
 * it is at least, twice its standard error below what it seems. What is in use after a collection of garbage is shown
 * beside it; that still grows by code that is compiled as it is met.
 */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Daemon } from "../../lifecycle/daemon-rig.ts";
import { Ground, NO_LIMITS } from "./ground.ts";
import type { HowIAm } from "./main.ts";
import { slopeOf } from "./slope.ts";
import { all, atLeast, atMost, none } from "../judge.ts";
import { generator } from "../random.ts";
import type { Suite } from "../suite.ts";

const SLOTS = 10;
/** More than there are slots, so that a freed one is taken at once. */
const TICKETS = 15;
const POLL_MS = 1_000;
/** So often somebody closes a ticket and opens another: 17,000 a day. What each has used up is kept for good. */
const BOARD_MS = 5_000;
const SAMPLE_MS = 3_000;
/** Garbage is collected for every so many samples: more often, and memory would not be as it is in use. */
const COLLECT_EVERY = 5;

/** Caches fill and code is compiled: this share of the time. */
const WARM_SHARE = 0.3;

/** Samples follow one another; their means over so many say more about chance. */
const BLOCK = 10;

const SCRIPT = "write:work\nuse:50\nwait:100\nuse:50\nwait:100";
/**
 * While it warms up, agents talk: SQLite keeps up to 16 MB of the ledger in memory, and without that would take half an
 * hour to have so much.
 */
const WARM_SCRIPT = `say:5\n${SCRIPT}`;

const MB = 2 ** 20;

export const longWork: Suite = {
  name: "F20",
  linuxOnly: "/proc tells what the daemon uses",
  promise: "at work for long, the daemon's memory, files and log do not grow, and it stays quick",
  rounds: { test: 0, ci: 0, release: 10 },
  run: soak,
  judge: (figures) =>
    all(
      atMost({ rssSlopeAtLeastMBh: 1, fdsGrowth: 0, walMaxMB: 64, loopP99Ms: 50 }),
      none("badExit", "processesLeft", "runsLeft"),
      atLeast({ runs: 10 * (figures["minutes"] ?? 0) }),
    )(figures),
};

interface Sample {
  readonly at: number;
  readonly rss: number;
  /** Null where garbage was not collected first. */
  readonly heap: number | null;
  readonly fds: number;
  readonly wal: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

async function soak(minutes: number, seed: number) {
  const ground = await Ground.open();
  const over = new AbortController();
  try {
    ground.write({
      agents: SLOTS,
      pollMs: POLL_MS,
      maxTurns: 20,
      extra: `limits: {${NO_LIMITS}, max_failures: 100000}`,
    });
    const daemon = ground.measured();
    const busy = board(ground, { random: generator(seed), warmMs: warmMs(minutes), signal: over.signal });
    await daemon.said("turn_started");
    const samples = await measured(ground, daemon, minutes);
    over.abort();
    await busy;
    const cpuSeconds = cpuOf(daemon);
    const forCpu = waitedForCpu(daemon);
    const code = await daemon.stop();
    const runs = ground.witness.runsEver();
    return {
      minutes,
      runs,
      ...figuresOf(samples, warmMs(minutes)),
      cpuMsPerRun: (cpuSeconds * 1_000) / runs,
      waitedForCpuPercent: forCpu * 100,
      badExit: code === 0 ? 0 : 1,
      processesLeft: ground.witness.alive().length,
      runsLeft: ground.witness.openRuns(),
    };
  } finally {
    over.abort();
    await ground.end();
  }
}

const warmMs = (minutes: number): number => minutes * 60_000 * WARM_SHARE;

interface Coming {
  readonly random: () => number;
  readonly warmMs: number;
  readonly signal: AbortSignal;
}

/** Tickets come and go until somebody has had enough. */
async function board(ground: Ground, { random, warmMs, signal }: Coming): Promise<void> {
  const begun = performance.now();
  const warming = (): boolean => performance.now() - begun < warmMs;
  const tickets = Array.from({ length: TICKETS }, () => ground.ticket(WARM_SCRIPT));
  let talking = true;
  while (!signal.aborted) {
    if (talking && !warming()) {
      talking = false;
      for (const name of tickets.splice(0)) ground.close(name);
      for (let n = 0; n < TICKETS; n += 1) tickets.push(ground.ticket(SCRIPT));
    }
    const [closed] = tickets.splice(Math.floor(random() * tickets.length), 1);
    ground.close(closed ?? "");
    tickets.push(ground.ticket(talking ? WARM_SCRIPT : SCRIPT));
    await sleep(BOARD_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function measured(ground: Ground, daemon: Daemon, minutes: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const begun = performance.now();
  let warming = true;
  // The log is not looked at, and must not grow here either.
  for (let at = 0; at < minutes * 60_000; at = performance.now() - begun) {
    await sleep(SAMPLE_MS);
    if (warming && at >= warmMs(minutes)) {
      warming = false;
      daemon.child.send({ startOver: true });
    }
    daemon.lines.length = 0;
    samples.push({
      at: performance.now() - begun,
      ...(await lookAt(ground, daemon, samples.length % COLLECT_EVERY === 0)),
    });
  }
  return samples;
}

async function lookAt({ rig }: Ground, { child }: Daemon, collect: boolean): Promise<Omit<Sample, "at">> {
  const proc = `/proc/${child.pid}`;
  const status = readFileSync(`${proc}/status`, "latin1");
  const answer = once(child, "message");
  child.send({ howAreYou: collect ? "after a collection" : "now" });
  const { delayP99Ms, delayMaxMs, heapBytes } = ((await answer) as [HowIAm])[0];
  const wal = `${rig.ledgerPath}-wal`;
  return {
    delayP99Ms,
    delayMaxMs,
    heap: collect ? heapBytes / MB : null,
    rss: (Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1_024) / MB,
    fds: readdirSync(`${proc}/fd`).length,
    wal: existsSync(wal) ? statSync(wal).size / MB : 0,
  };
}

function figuresOf(samples: readonly Sample[], warmMs: number) {
  const warm = samples.filter(({ at }) => at >= warmMs);
  const perHour = (what: "rss" | "heap") => slopeOf(blocks(warm.flatMap((one) => pointOf(one, what))));
  const [rss, heap] = [perHour("rss"), perHour("heap")];
  const most = (what: "fds" | "wal"): number => Math.max(...warm.map((one) => one[what]));
  return {
    samples: samples.length,
    rssMB: warm.at(-1)?.rss ?? 0,
    rssSlopeMBh: rss.slope,
    rssSlopeAtLeastMBh: rss.slope - 2 * rss.error,
    heapMB: warm.findLast((one) => one.heap !== null)?.heap ?? 0,
    heapSlopeMBh: heap.slope,
    heapSlopeAtLeastMBh: heap.slope - 2 * heap.error,
    fdsMax: most("fds"),
    fdsGrowth: growthOf(warm.map(({ fds }) => fds)),
    walMaxMB: most("wal"),
    loopP99Ms: warm.at(-1)?.delayP99Ms ?? 0,
    loopMaxMs: warm.at(-1)?.delayMaxMs ?? 0,
  };
}

type Point = readonly [hours: number, value: number];

function pointOf(one: Sample, what: "rss" | "heap"): readonly Point[] {
  const value = one[what];
  return value === null ? [] : [[one.at / 3_600_000, value]];
}

/** Means of so many points that follow one another, where there are enough of them. */
function blocks(points: readonly Point[]): readonly Point[] {
  const size = points.length < 5 * BLOCK ? 1 : BLOCK;
  const means: Point[] = [];
  for (let at = 0; at + size <= points.length; at += size) {
    const block = points.slice(at, at + size);
    const mean = (n: 0 | 1): number => block.reduce((sum, point) => sum + point[n], 0) / size;
    means.push([mean(0), mean(1)]);
  }
  return means;
}

/** By how much the least of the last third is above the most of the first: what comes and goes is no growth. */
function growthOf(counts: readonly number[]): number {
  const third = Math.ceil(counts.length / 3);
  return Math.max(0, Math.min(...counts.slice(-third)) - Math.max(...counts.slice(0, third)));
}

/**
 * The share of its running time that the main thread stood in line for a processor: on a busy machine the delays of the
 * loop are as much those of its neighbours.
 */
function waitedForCpu({ child }: Daemon): number {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, "latin1")
    .split(" ")
    .map(Number);
  return waited / (ran + waited);
}

/** Fields 14 and 15 of proc(5)'s stat, in ticks of 10 ms. */
function cpuOf({ child }: Daemon): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) / 100;
}
