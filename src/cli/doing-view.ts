/** What an agent does just now, as its daemon's last sign of life has it: a command or a call, and for how long. Pure. */
import type { Instant, UnderWay } from "../domain/domain.ts";
import { plain } from "../facts/facts.ts";
import type { Heartbeat } from "../ledger/ledger.ts";
import type { Claim } from "../scheduler/scheduler.ts";
import { relative, span } from "../terminal/terminal.ts";
import { SILENT_MS } from "./health.ts";

export interface Doing {
  readonly work: readonly UnderWay[];
  /** When the daemon said so. */
  readonly at: Instant;
}

/** Null = nothing, or nobody knows. `heartbeat`: of the daemon that has the ledger, or none. */
export function doingNow(claim: Claim | null, heartbeat: Heartbeat | null): Doing | null {
  if (claim?.phase !== "running" || heartbeat === null) return null;
  const work = heartbeat.beat?.underWay?.find(({ run }) => run === claim.run.id)?.work ?? [];
  return work.length === 0 ? null : { work, at: heartbeat.at };
}

/** More of a command is in the timeline, when it has ended. */
const WHAT_CHARS_MAX = 200;

/** A line for each; of a daemon that is stopped or hangs, when it was last heard. */
export function doingLines({ work, at }: Doing, now: Instant): readonly string[] {
  const isOld = now - at > SILENT_MS;
  const asOf = isOld ? ` (as of ${relative(at, now)}, when the daemon was last heard)` : "";
  const until = isOld ? at : now;
  return work.map(({ what, since }) => `${plain(what, WHAT_CHARS_MAX)}, for ${span(until - since)}${asOf}`);
}
