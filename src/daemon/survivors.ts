/**
 * Processes that an earlier daemon of this installation left behind when it was killed. Ended before anything starts: a
 * run is begun again only when nobody works on its issue any more (I1, C3). A process is never ended for its number
 * alone, which may be another's by now: it carries our mark or its thread's, is the one that was recorded by start time
 * and boot, or hangs on one of these.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { threadMark } from "../agent/codex/environment.ts";
import { Family } from "../processes/family.ts";
import { killQuietly, ownAncestors, processesOf, startTicks, wholeEntry } from "../processes/proc.ts";
import type { OpenRun } from "../ledger/port.ts";
import { bootId } from "./boot-id.ts";

export interface SurvivorPatience {
  /** Time to leave after SIGTERM; codex needs 60 ms, and takes its commands along. */
  readonly termMs: number;
  /** For killing what is left, and what that forks meanwhile. */
  readonly killMs: number;
}

const usualPatience: SurvivorPatience = { termMs: 2_000, killMs: 2_000 };

const LOOK_EVERY_MS = 25;

export interface Survivors {
  readonly ended: number;
  /** Pids of those that would not end: stuck in the kernel, or another user's by now. */
  readonly left: readonly number[];
}

/** Ends them all; returns when none is left or patience is over. */
export async function endSurvivors(
  installation: string,
  open: readonly OpenRun[],
  { termMs, killMs }: SurvivorPatience = usualPatience,
): Promise<Survivors> {
  const survivors = survivorsOf(installation, open);
  for (const pid of survivors.look()) killQuietly(pid, "SIGTERM");
  await none(survivors, termMs, () => {});
  const left = await none(survivors, killMs, (pid) => killQuietly(pid, "SIGKILL"));
  return { ended: survivors.count - left.length, left };
}

/** Waits until none is left, at most so long, and does something to each at every look. Those that are left. */
async function none(survivors: Family, ms: number, each: (pid: number) => void): Promise<readonly number[]> {
  const until = performance.now() + ms;
  let left = survivors.look();
  while (left.length > 0 && performance.now() < until) {
    for (const pid of left) each(pid);
    await sleep(LOOK_EVERY_MS);
    left = survivors.look();
  }
  return left;
}

/** Who started this daemon may carry the marks too, somebody at work in a run's shell: those are spared. */
function survivorsOf(installation: string, open: readonly OpenRun[]): Family {
  const threads = open.flatMap(({ thread }) => (thread === null ? [] : [wholeEntry(threadMark(thread))]));
  const marks = [`BATON_RUN=${installation}.`, `BATON_AGENT=${installation}.`, ...threads];
  return new Family(() => [...processesOf(marks), ...open.flatMap(byIdentity)], ownAncestors());
}

function byIdentity({ pid, startTicks: ticks, bootId: boot }: OpenRun): readonly number[] {
  if (pid === null || ticks === null || boot === null || boot !== bootId()) return [];
  return startTicks(pid) === ticks ? [pid] : [];
}
