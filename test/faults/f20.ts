/**
 * F20: the real daemon at work in real time: ten slots, agents with short turns, tickets that come and go. What it takes of
 * memory, files and disk must not grow, and it must stay quick. A round is a minute, the last figures of docs/RELIABILITY.md
 * are of a release; too long for CI, where it is not run (0 rounds).
 *
 * Resident memory goes up and down by megabytes, so that ten minutes say little about an hour: the slope comes with twice
 * its standard error, and is judged by what it is at least. What is in use after a collection of garbage says more.
 */
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fact } from "../../src/domain/fact.ts";
import { instant } from "../../src/domain/time.ts";
import { openLedger } from "../../src/ledger/sqlite.ts";
import type { Daemon } from "../lifecycle/daemon-rig.ts";
import { Ground, NO_LIMITS } from "./daemon-ground.ts";
import type { HowIAm } from "./daemon-main.ts";
import { slopeOf } from "./daemon-slope.ts";
import { all, atLeast, atMost, none } from "./judge.ts";
import { generator } from "./random.ts";
import type { Suite } from "./suite.ts";

const SLOTS = 10;
/** More than there are slots, so that a freed one is taken at once. */
const TICKETS = 15;
const POLL_MS = 1_000;
/** So often somebody closes a ticket and opens another: 17,000 a day. What each has used up is kept for good. */
const BOARD_MS = 5_000;
const SAMPLE_MS = 3_000;
/** Garbage is collected for every so many samples: more often, and memory would not be as it is in use. */
const COLLECT_EVERY = 5;

/** Caches fill and code is compiled: this share of the time, at most two minutes. */
const WARM_SHARE = 0.2;
const WARM_MAX_MS = 2 * 60_000;

/**
 * The ledger has some history: SQLite keeps up to 16 MB of it in memory, and would take twenty minutes of this work to have
 * that much.
 */
const HISTORY_BYTES = 24 * 2 ** 20;
const FACT_BYTES = 4_000;
const FACTS_AT_ONCE = 500;

const SCRIPT = "write:work\nuse:50\nwait:100\nuse:50\nwait:100";

const MB = 2 ** 20;

export const f20: Suite = {
  name: "F20",
  promise: "at work for long, the daemon's memory, files and log do not grow, and it stays quick",
  rounds: { test: 0, ci: 0, release: 10 },
  run: soak,
  judge: (figures) =>
    all(
      atMost({ rssSlopeAtLeastMBh: 1, heapSlopeAtLeastMBh: 1, fdsGrowth: 0, walMaxMB: 64, loopP99Ms: 50 }),
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
    writeHistory(ground.rig.ledgerPath);
    const daemon = ground.measured();
    const busy = board(ground, generator(seed), over.signal);
    await daemon.said("turn_started");
    const samples = await measured(ground, daemon, minutes * 60_000);
    over.abort();
    await busy;
    const cpuSeconds = cpuOf(daemon);
    const forCpu = waitedForCpu(daemon);
    const code = await daemon.stop();
    const runs = ground.witness.runsEver();
    return {
      minutes,
      runs,
      ...figuresOf(samples),
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

function writeHistory(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const ledger = openLedger(path);
  const said = (text: string): Fact => ({ type: "agent_said", text, at: instant(Date.now()) });
  for (let bytes = 0; bytes < HISTORY_BYTES; bytes += FACT_BYTES * FACTS_AT_ONCE) {
    ledger.commit(
      [],
      Array.from({ length: FACTS_AT_ONCE }, () => said("x".repeat(FACT_BYTES))),
    );
  }
  ledger.close();
}

/** Tickets come and go until somebody has had enough. */
async function board(ground: Ground, random: () => number, signal: AbortSignal): Promise<void> {
  const tickets = Array.from({ length: TICKETS }, () => ground.ticket(SCRIPT));
  while (!signal.aborted) {
    const [closed] = tickets.splice(Math.floor(random() * tickets.length), 1);
    ground.close(closed ?? "");
    tickets.push(ground.ticket(SCRIPT));
    await sleep(BOARD_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function measured(ground: Ground, daemon: Daemon, ms: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const begun = performance.now();
  // The log is not looked at, and must not grow here either.
  for (let at = 0; at < ms; at = performance.now() - begun) {
    await sleep(SAMPLE_MS);
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

function figuresOf(samples: readonly Sample[]) {
  const warmMs = Math.min(WARM_MAX_MS, (samples.at(-1)?.at ?? 0) * WARM_SHARE);
  const warm = samples.filter(({ at }) => at >= warmMs);
  const perHour = (what: "rss" | "heap") =>
    slopeOf(
      warm.flatMap((one) => {
        const value = one[what];
        return value === null ? [] : [[one.at / 3_600_000, value]];
      }),
    );
  const [rss, heap] = [perHour("rss"), perHour("heap")];
  const most = (what: "fds" | "wal" | "delayP99Ms" | "delayMaxMs"): number =>
    Math.max(...warm.map((one) => one[what]));
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
    loopP99Ms: most("delayP99Ms"),
    loopMaxMs: most("delayMaxMs"),
  };
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
