/**
 * Until when a run went on that nobody ended: a process that is killed cannot say when that was, and the time until somebody
 * starts it again is no work.
 */
import { earlier, type Instant, later, type RunId } from "../domain/domain.ts";
import { type Heartbeat, heartbeatOf } from "./heartbeat.ts";
import type { LedgerReader } from "./port.ts";

/**
 * The later of the daemon's last sign of life and the last thing that was written of the run; between its begin and `now`.
 * `heartbeat`: what the daemon left behind that is gone; null = nothing.
 */
export function lastSignOf(
  { id, startedAt }: { readonly id: RunId; readonly startedAt: Instant },
  ledger: Pick<LedgerReader, "timeline">,
  heartbeat: Heartbeat | null,
  now: Instant,
): Instant {
  // One that had only begun to start, and was killed there as well, never had these runs.
  const beat = heartbeat?.beat?.phase === "starting" ? null : (heartbeat?.at ?? null);
  const written = ledger.timeline([id], 1).at(-1)?.at ?? null;
  return later(startedAt, earlier(now, later(written ?? startedAt, beat)));
}

/** The same of runs in the ledger at this path, on which no daemon works. */
export const lastSigns = (
  path: string,
  ledger: Pick<LedgerReader, "timeline">,
  runs: readonly { readonly id: RunId; readonly startedAt: Instant }[],
  now: Instant,
): ReadonlyMap<RunId, Instant> => {
  const heartbeat = heartbeatOf(path);
  return new Map(runs.map((run) => [run.id, lastSignOf(run, ledger, heartbeat, now)]));
};
