/** Warnings among what happened that still matter, the same ones counted together. Pure. */
import { type Fact, type Instant, unreadableTopic } from "../domain/domain.ts";
import { describe } from "../facts/facts.ts";
import type { TimelineRow } from "../ledger/ledger.ts";

export interface Trouble {
  readonly level: "warn" | "error";
  readonly message: string;
  readonly count: number;
  readonly last: Instant;
}

/** What is known of how things are now. */
export interface Present {
  readonly now: Instant;
  /** When the daemon that serves was started: what happened before is mended or is said again. Null = none serves. */
  readonly servingSince: Instant | null;
  /** The last complete scan of each workflow. */
  readonly scans: ReadonlyMap<string, { readonly at: Instant; readonly everyMs: number }>;
}

/** More would not be read. */
const TROUBLES_MAX = 8;

/** The latest first. What a person did or asked for is no trouble, and what is mended is none any more. */
export function troubles(rows: readonly TimelineRow[], present: Present): readonly Trouble[] {
  const found = new Map<string, Trouble>();
  /** What has been mended since, by what it is called in `mending`. */
  const mended = new Set<string>();
  for (const { at, fact } of [...rows].reverse()) {
    const { level, message } = describe(fact);
    const topic = topicOf(fact);
    const isOver = topic !== null && mended.has(topic);
    if (topic !== null && supersedes(fact)) mended.add(topic);
    if ((level !== "warn" && level !== "error") || toldElsewhere.has(fact.type)) continue;
    if (isOver || isPast(fact, at, present)) continue;
    const before = found.get(message);
    found.set(message, { level, message, count: (before?.count ?? 0) + 1, last: before?.last ?? at });
  }
  return [...found.values()].slice(0, TROUBLES_MAX);
}

/** What later facts about the same thing take back; null = nothing does. */
function topicOf(fact: Fact): string | null {
  const { type, workflow } = fact;
  if (type === "disk_low" || type === "disk_ok") return `disk ${workflow}`;
  if (type === "workspace_kept" || type === "workspace_removed") return `workspace ${fact.issueId}`;
  if (type === "workflow_rejected" || type === "workflow_loaded") return `file ${workflow}`;
  if (fact.type === "tracker_record_rejected" && fact.issueId === undefined)
    return `${unreadableTopic(fact.error)} ${workflow}`;
  if (fact.type !== "warning" || fact.topic === undefined) return null;
  return workflow === undefined ? fact.topic : `${fact.topic} ${workflow}`;
}

/** Whether it says how the thing is now, whatever was said of it before. */
const supersedes = (fact: Fact): boolean =>
  fact.type === "warning" ? fact.over === true : fact.type !== "tracker_record_rejected";

/** Whether what went wrong has gone right since. */
function isPast(fact: Fact, at: Instant, { now, servingSince, scans }: Present): boolean {
  if (servingSince !== null && at < servingSince) return true;
  const scan = scans.get(fact.workflow ?? "");
  if (fact.type === "day_limit_reached") return fact.until <= now;
  if (fact.type === "warning") return fact.over === true;
  if (scan === undefined) return false;
  if (fact.type === "poll_failed" || fact.type === "refresh_failed") return at < scan.at;
  // One that was asked for by its id is said again while it is so; of a list it is said when it is over.
  return (
    fact.type === "tracker_record_rejected" && fact.issueId !== undefined && at < scan.at - 2 * scan.everyMs
  );
}

/** Parks, holds and pauses stand on their own while they last. */
const toldElsewhere: ReadonlySet<string> = new Set([
  "parked",
  "unparked",
  "held",
  "hold_ended",
  "standing",
  "paused",
  "resumed",
]);
