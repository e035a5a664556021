/** How the last daemon of a ledger ended, as far as the ledger knows, and what it had seen by then. Pure. */
import type { Instant } from "../domain/domain.ts";
import { plain } from "../facts/facts.ts";
import type { Heartbeat, TimelineRow } from "../ledger/ledger.ts";
import { relative } from "../terminal/terminal.ts";
import type { Present } from "./troubles.ts";

export interface LastEnd {
  /** `vanished`: it has not said so itself. It was killed, or ended by an error. */
  readonly how: "drained" | "stopped" | "vanished";
  /** Who or what asked for it; null = nobody is known to have. */
  readonly why: string | null;
  /** Of one that vanished, its last sign of life. */
  readonly at: Instant;
  /** When it had been started; null = longer ago than was looked. */
  readonly since: Instant | null;
  /** The last complete scan of each of its workflows, where that is known. */
  readonly scans: Present["scans"];
}

/** `rows`: what happened apart from runs, oldest first. `left`: the sign of life that one leaves which is killed. */
export function lastEnd(rows: readonly TimelineRow[], left: Heartbeat | null): LastEnd | null {
  const begin = rows.findLastIndex(({ fact }) => fact.type === "daemon_started");
  const life = rows.slice(Math.max(0, begin)).map(({ fact }) => fact);
  const stopped = life.findLast((fact) => fact.type === "daemon_stopped");
  const stopping = life.findLast((fact) => fact.type === "daemon_stopping");
  const draining = life.findLast((fact) => fact.type === "draining");
  const since = begin === -1 ? null : (life[0]?.at ?? null);
  const why = stopping?.why ?? draining?.why ?? null;
  if (stopped !== undefined) {
    const how = stopping === undefined && draining !== undefined ? "drained" : "stopped";
    const scans = (stopped.scans ?? []).map(({ workflow, ...scan }) => [workflow, scan] as const);
    return { how, why, at: stopped.at, since, scans: new Map(scans) };
  }
  const last = life.at(-1);
  if (since === null || last === undefined) return null;
  return { how: "vanished", why, at: left?.at ?? last.at, since, scans: scansOf(left) };
}

/** What a sign of life says of scans. */
export const scansOf = (heartbeat: Heartbeat | null): Present["scans"] =>
  new Map(
    (heartbeat?.beat?.workflows ?? []).flatMap(({ name, scannedAt, pollIntervalMs }) =>
      scannedAt === null ? [] : [[name, { at: scannedAt, everyMs: pollIntervalMs }] as const],
    ),
  );

const WHY_CHARS_MAX = 200;

/** One sentence. */
export function endWords({ how, why, at }: LastEnd, now: Instant): string {
  const when = relative(at, now);
  const reason = why === null ? "" : ` (${plain(why, WHY_CHARS_MAX)})`;
  switch (how) {
    case "drained":
      return `The last one was drained${reason} and ended ${when}.`;
    case "stopped":
      return `The last one was stopped${reason} ${when}.`;
    case "vanished": {
      const asked = why === null ? "" : `, while it came to its end${reason}`;
      return `The last one was killed or ended by an error${asked}; its last sign of life was ${when}, and the last lines of its log say more.`;
    }
  }
}
