/** Fifty live runs whose agents say nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import { aside, bounded, type Figure } from "./figure.ts";
import { session } from "./session.ts";

const AGENTS = 50;
const QUIET_MS = 5_000;
const BEGIN_MS = 60_000;

export const quiet = (): Promise<readonly Figure[]> =>
  session(1, async ({ board, daemon: start }) => {
    board.add(AGENTS);
    const { daemon } = start({ agent: "quiet", agentsMax: AGENTS, pollMs: 30_000 });
    await board.until("thread", AGENTS, BEGIN_MS);
    await daemon.until("turn_started", AGENTS, BEGIN_MS);
    const before = daemon.figures();
    await sleep(QUIET_MS);
    const after = daemon.figures();
    await daemon.stop();
    return [
      bounded(`${AGENTS} quiet agents, RSS`, after.rss, {
        max: 150,
        unit: "MB",
        digits: 0,
        how: `after ${QUIET_MS / 1000} s of silence, once`,
      }),
      aside(
        "  peak RSS",
        `${after.peak.toFixed(0)} MB`,
        "from the start of the process, all 50 started at once",
      ),
      aside(
        "  CPU meanwhile",
        `${((after.cpu - before.cpu) * 1000).toFixed(0)} CPU ms`,
        `in the ${QUIET_MS / 1000} s`,
      ),
    ];
  });
