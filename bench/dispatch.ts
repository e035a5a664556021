/** From the tracker's answer that lists a ticket for the first time to its agent. */
import { spawnSync } from "node:child_process";
import { accountOf } from "./account.ts";
import { aside, bounded, median, percentile, type Figure } from "./figure.ts";
import { epochNow } from "./light-board/talk.ts";
import { session } from "./session.ts";

const TICKETS = 30;
const RUN_MS = 20_000;

export async function dispatch(): Promise<readonly Figure[]> {
  const { toSpawn, toAgent, bash } = await measured();
  const agents = `${median(toAgent).toFixed(0)} ms, p95 ${percentile(toAgent, 0.95).toFixed(0)} ms`;
  const less = `${(median(toAgent) - median(bash)).toFixed(0)} ms`;
  return [
    bounded("poll answer to spawn", median(toSpawn), {
      max: 50,
      unit: "ms",
      digits: 0,
      how: `median of ${TICKETS}, one ticket at a time; the daemon's own record of the process`,
    }),
    bounded("  p95", percentile(toSpawn, 0.95), { max: 50, unit: "ms", digits: 0, how: "of the same" }),
    aside("  to the agent's first command", agents, "median, p95; told by the agents"),
    aside("  less the start of bash -l", less, `medians; bash -lc alone takes ${median(bash).toFixed(0)} ms`),
  ];
}

interface Latencies {
  readonly toSpawn: readonly number[];
  readonly toAgent: readonly number[];
  readonly bash: readonly number[];
}

const measured = (): Promise<Latencies> =>
  session(1, async ({ board, daemon: start }) => {
    const { daemon, place } = start({ agent: "work", agentsMax: 20, pollMs: 150 });
    // The first ticket pays for code that is compiled when it is first used.
    for (let i = 1; i <= TICKETS + 1; i++) {
      board.add(1);
      await daemon.until("workspace_removed", i, RUN_MS);
    }
    await daemon.stop();
    const { launchedAt } = accountOf(place.ledger);
    const threads = board.all("thread").slice(1);
    return {
      toSpawn: threads.map(({ ticket, listedAt }) => (launchedAt.get(ticket) ?? Number.NaN) - listedAt),
      toAgent: threads.map(({ startedAt, listedAt }) => startedAt - listedAt),
      bash: Array.from({ length: TICKETS }, () => bashStart(place.home)),
    };
  });

/** From asking for a login shell to its first command, as the daemon asks for it. */
function bashStart(home: string): number {
  const askedAt = epochNow();
  const env = { PATH: process.env["PATH"], HOME: home, LC_ALL: "C" };
  const { stdout } = spawnSync("bash", ["-lc", "printf %s $EPOCHREALTIME"], { env, encoding: "utf8" });
  return Number(stdout) * 1000 - askedAt;
}
