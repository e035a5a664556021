/**
 * Processes that an earlier daemon of this installation left behind when it was killed. Ended before anything starts: a
 * run is begun again only when nobody works on its issue any more (I1 of docs/ARCHITECTURE.md, C3 of docs/RELIABILITY.md). A process is never ended for its number
 * alone, which may be another's by now: it carries our mark or its thread's, is the one that was recorded by start time
 * and boot, or hangs on one of these.
 */
import { threadMark } from "../agent/agent.ts";
import {
  type Census,
  end,
  eventually,
  Family,
  killQuietly,
  machine,
  wholeEntry,
} from "../processes/processes.ts";
import type { OpenRun } from "../ledger/ledger.ts";

export interface SurvivorPatience {
  /** Time to leave after SIGTERM; codex needs 60 ms, and takes its commands along. */
  readonly termMs: number;
  /** For killing what is left, and what that forks meanwhile. */
  readonly killMs: number;
}

const usualPatience: SurvivorPatience = { termMs: 2_000, killMs: 2_000 };

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
  census: Census = machine,
): Promise<Survivors> {
  const family = survivorsOf(installation, open, census);
  const term = (): void => family.look().forEach((pid) => killQuietly(pid, "SIGTERM"));
  const left = await end({
    family,
    // Each agent had a group of its own; what is left of them is found one by one.
    group: null,
    steps: [{ ask: term, waitMs: termMs }],
    gone: (ms) => eventually(ms, () => family.look().length === 0),
    killMs,
  });
  return { ended: family.count - left.length, left };
}

function survivorsOf(installation: string, open: readonly OpenRun[], census: Census): Family {
  const threads = open.flatMap(({ thread }) => (thread === null ? [] : [wholeEntry(threadMark(thread))]));
  const marks = [`BATON_RUN=${installation}.`, `BATON_AGENT=${installation}.`, ...threads];
  const boot = census.bootId();
  const recorded = open.filter(({ bootId }) => bootId !== null && bootId === boot);
  return new Family({
    census,
    find: (sight) => [
      ...sight.carriers(marks),
      ...recorded.flatMap(({ pid, startTicks }) =>
        pid !== null && startTicks !== null && sight.identity(pid)?.start === startTicks ? [pid] : [],
      ),
    ],
    // Who started this daemon may carry the marks too, somebody at work in a run's shell.
    spared: census.look().ownAncestors(),
  });
}
