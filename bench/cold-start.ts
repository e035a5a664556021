/** From asking for the process to its first request at the tracker. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Board } from "./board.ts";
import type { BatonDaemon, DaemonOptions } from "./daemon.ts";
import { aside, bounded, median, percentile, type Figure } from "./figure.ts";
import { session, type Session } from "./session.ts";

const STARTS = 10;
const START_MS = 20_000;

export async function coldStart(): Promise<readonly Figure[]> {
  return session(1, async (all) => {
    await oneStart(all); // fills Node's compile cache, as any earlier start does
    const warm: Start[] = [];
    const first: Start[] = [];
    for (let i = 0; i < STARTS; i++) {
      warm.push(await oneStart(all));
      first.push(await firstStart(all));
    }
    return [
      bounded("start to first tracker request", median(warm.map(({ ms }) => ms)), {
        max: 300,
        unit: "ms",
        digits: 0,
        how: `median of ${STARTS}, empty ledger; ${cpuMs(warm)} of CPU; p95 ${percentile(
          warm.map(({ ms }) => ms),
          0.95,
        ).toFixed(0)} ms`,
      }),
      aside(
        "  the first ever",
        `${median(first.map(({ ms }) => ms)).toFixed(0)} ms`,
        `median of ${STARTS}, ${cpuMs(first)} of CPU, with an empty compile cache, as after an installation`,
      ),
    ];
  });
}

export interface Start {
  readonly ms: number;
  /** CPU seconds of the process by then: other work on the machine lengthens this much less. */
  readonly cpu: number;
}

// A mean, because the kernel counts in steps of 10 ms.
const cpuMs = (starts: readonly Start[]): string =>
  `${((starts.reduce((sum, { cpu }) => sum + cpu, 0) / starts.length) * 1000).toFixed(0)} ms`;

/** A start with an empty ledger, and its end. */
export async function oneStart(
  { board, daemon: start }: Session,
  options: Omit<DaemonOptions, "place"> = {},
): Promise<Start> {
  const { daemon, ...costs } = await started(
    board,
    () => start({ agent: "work", agentsMax: 10, pollMs: 30_000 }, options).daemon,
  );
  await daemon.stop();
  return costs;
}

/** Starts a daemon and waits for its first request. */
export async function started(
  board: Board,
  start: () => BatonDaemon,
  withinMs = START_MS,
): Promise<Start & { readonly daemon: BatonDaemon }> {
  const before = board.all("asked").length;
  const daemon = start();
  await board.until("asked", before + 1, withinMs);
  const { cpu } = daemon.figures();
  const at = board.all("asked")[before]?.at ?? Number.NaN;
  return { daemon, ms: at - daemon.spawnedAt, cpu };
}

async function firstStart(all: Session): Promise<Start> {
  const cache = mkdtempSync(join(tmpdir(), "baton-bench-cache-"));
  try {
    return await oneStart(all, { cache });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
