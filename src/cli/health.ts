/** Whether the daemon serves, as `baton status` answers a health check. Pure. */
import { after, instant, type Instant, later } from "../domain/domain.ts";
import type { Heartbeat, Holder, Saved, WorkflowBeat } from "../ledger/ledger.ts";
import { relative, span } from "../terminal/terminal.ts";
import { EXIT, type ExitCode } from "./exit.ts";

/** What the ledger, its lock and the heartbeat beside it say at one moment. */
export interface Signs {
  /** A process has the ledger. */
  readonly held: boolean;
  /** Which one; null = none, or it has not said so yet. */
  readonly holder: Holder | null;
  /** Null = there is none, or it is of another process than has the ledger. */
  readonly heartbeat: Heartbeat | null;
  readonly holds: Saved["holds"];
}

export interface Health {
  /** `down`: no daemon works on this ledger. `degraded`: one does, and not on all that it should. */
  readonly state: "serving" | "degraded" | "down";
  /** One sentence each. */
  readonly reasons: readonly string[];
}

/** The loop comes by every two seconds; nothing that it does for so long in one piece would be all right. */
export const SILENT_MS = 15_000;

/** A scan may fail, and the next may be late. */
const INTERVALS_MISSED = 3;

export function healthOf({ held, holder, heartbeat, holds }: Signs, now: Instant): Health {
  if (!held) return { state: "down", reasons: ["No daemon is running."] };
  if (heartbeat !== null && heartbeat.at < after(now, -SILENT_MS)) {
    const pid = heartbeat.beat?.pid ?? holder?.pid;
    return {
      state: "down",
      reasons: [
        `The daemon gives no sign of life: process ${pid ?? "?"} is stopped or hangs since ${relative(heartbeat.at, now)}. If nobody stopped it on purpose (kill -CONT ${pid ?? "PID"} lets it go on), end it and start it again: it goes on from the ledger.`,
      ],
    };
  }
  const beat = heartbeat?.beat ?? null;
  const since = holder === null ? now : instant(Date.parse(holder.since));
  const reasons = [
    ...(beat === null || beat.stuck === null ? [] : [`Nothing can be written down: ${beat.stuck}.`]),
    ...(beat?.workflows ?? []).flatMap((workflow) => troublesOf(workflow, since, now)),
    ...heldReasons(holds),
  ];
  return { state: reasons.length === 0 ? "serving" : "degraded", reasons };
}

/** The reasons that are holds. */
export const heldReasons = (holds: Saved["holds"]): readonly string[] =>
  [...holds].map(([name, { why }]) => `Workflow ${name} is held: ${why}`);

function troublesOf(of: WorkflowBeat, since: Instant, now: Instant): readonly string[] {
  const { name, broken, diskLow, scannedAt, scanError, pollIntervalMs, paceSince } = of;
  // Of the interval now in force: an earlier scan was not due by this one before there was this one.
  const from = later(scannedAt ?? since, paceSince ?? null);
  const missed = now - from > INTERVALS_MISSED * pollIntervalMs + SCAN_MS_MAX;
  const last = scannedAt === null ? "none since the start" : `the last one ${relative(scannedAt, now)}`;
  const why = scanError === null ? "" : `: ${scanError}`;
  return [
    ...(broken === null ? [] : [`Workflow ${name} starts nothing new, its file cannot be used: ${broken}`]),
    ...(diskLow === null ? [] : [`Workflow ${name} starts nothing new: ${diskLow}`]),
    ...(missed
      ? [`Workflow ${name} has no complete scan (${last}, one is due every ${span(pollIntervalMs)})${why}`]
      : []),
  ];
}

/** A scan of a large board takes its time, and then the next is no sign of trouble yet. */
const SCAN_MS_MAX = 15_000;

/** 0 serving, 1 not, 2 degraded. */
export const healthCode = ({ state }: Health): ExitCode =>
  state === "serving" ? EXIT.ok : state === "degraded" ? EXIT.degraded : EXIT.failure;
