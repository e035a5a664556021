/**
 * Processes that an earlier daemon of this installation left behind when it was killed. Ended before anything starts: a
 * run is begun again only when nobody works on its issue any more (I1, C3).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { markedProcesses, processesOf, startTicks, killQuietly } from "../agent/codex/marked.ts";
import type { OpenRun } from "../ledger/ledger.ts";
import { bootId } from "./boot-id.ts";

/** Time to leave after SIGTERM; codex needs 60 ms, and takes its commands along. */
const TERM_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** How often what is left is killed and looked for again: a process may fork between being found and being killed. */
const SWEEPS_MAX = 20;

/** Ends them all. Resolves to how many there were, when none is left or the sweeps are used up. */
export async function endSurvivors(installation: string, open: readonly OpenRun[]): Promise<number> {
  const found = survivors(installation, open);
  if (found.length === 0) return 0;
  for (const pid of found) killQuietly(pid, "SIGTERM");
  for (
    let waited = 0;
    waited < TERM_MS && survivors(installation, open).length > 0;
    waited += LOOK_EVERY_MS
  ) {
    await sleep(LOOK_EVERY_MS);
  }
  for (let left = survivors(installation, open), n = 0; left.length > 0 && n < SWEEPS_MAX; n += 1) {
    for (const pid of left) killQuietly(pid, "SIGKILL");
    await sleep(LOOK_EVERY_MS);
    left = survivors(installation, open);
  }
  return found.length;
}

/** By the mark in their environment, by the thread their commands belong to, and by pid only where ticks and boot agree. */
function survivors(installation: string, open: readonly OpenRun[]): readonly number[] {
  const threads = open.flatMap(({ thread }) => (thread === null ? [] : [`CODEX_THREAD_ID=${thread}`]));
  const marked = processesOf([`BATON_RUN=${installation}.`, `BATON_AGENT=${installation}.`]);
  return [...new Set([...marked, ...markedProcesses(threads), ...open.flatMap(byIdentity)])];
}

function byIdentity({ pid, startTicks: ticks, bootId: boot }: OpenRun): readonly number[] {
  if (pid === null || ticks === null || boot === null || boot !== bootId()) return [];
  return startTicks(pid) === ticks ? [pid] : [];
}
