/** Fifty live runs whose agents say nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import { aside, bounded, type Figure } from "./figure.ts";
import { session } from "./session.ts";

const AGENTS = 50;
const QUIET_MS = 5_000;
const BEGIN_MS = 60_000;

export interface Silence {
  /** CPU milliseconds in the quiet time. */
  readonly cpuMs: number;
  readonly rss: number;
  readonly peak: number;
}

export const silence = (program?: string): Promise<Silence> =>
  session(1, async ({ board, daemon: start }) => {
    board.add(AGENTS);
    const { daemon } = start(
      { agent: "quiet", agentsMax: AGENTS, pollMs: 30_000 },
      program === undefined ? {} : { program },
    );
    await board.until("thread", AGENTS, BEGIN_MS);
    await daemon.until("turn_started", AGENTS, BEGIN_MS);
    const before = daemon.exactCpuMs();
    await sleep(QUIET_MS);
    const cpuMs = daemon.exactCpuMs() - before;
    const { rss, peak } = daemon.figures();
    await daemon.stop();
    return { cpuMs, rss, peak };
  });

export async function quiet(): Promise<readonly Figure[]> {
  const { cpuMs, rss, peak } = await silence();
  return [
    bounded(`${AGENTS} quiet agents, RSS`, rss, {
      max: 150,
      unit: "MB",
      digits: 0,
      how: `after ${QUIET_MS / 1000} s of silence, once`,
    }),
    aside(
      "  peak RSS of 50 quiet agents",
      `${peak.toFixed(0)} MB`,
      "from the start of the process, all 50 started at once",
    ),
    aside("  CPU meanwhile", `${cpuMs.toFixed(1)} CPU ms`, `in the ${QUIET_MS / 1000} s`),
  ];
}
