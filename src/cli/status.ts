/** `baton status`: whether the daemon serves, what goes on, and what waits for a person. */
import { statSync } from "node:fs";
import { after, DAY_MS, instant, type Instant, type WaitingOrder } from "../domain/domain.ts";
import {
  type Heartbeat,
  heartbeatOf,
  type Holder,
  lockState,
  type Saved,
  type TimelineRow,
} from "../ledger/ledger.ts";
import { type Output, paintFor } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit.ts";
import { type Health, healthCode, healthOf } from "./health.ts";
import { aboutLedger, askLedger, ledgerAt, type LedgerChoice } from "./ledger-at.ts";
import { type LastEnd, lastEnd } from "./last-end.ts";
import { statusText, statusView } from "./status-view.ts";

export interface StatusOptions extends LedgerChoice {
  readonly json?: boolean;
}

/** Who works on a ledger, and how that is. */
export interface Server {
  readonly health: Health;
  /** Which daemon; null = none, or it has not said so yet. */
  readonly holder: Holder | null;
  /** Its sign of life; null = there is none. */
  readonly heartbeat: Heartbeat | null;
}

/** What the ledger, its lock and the heartbeat say at one moment. */
export interface Status extends Server {
  readonly ledger: string;
  /** When something was last written into the ledger. */
  readonly writtenAt: Instant | null;
  readonly saved: Saved;
  /** Given and not obeyed yet. */
  readonly orders: readonly WaitingOrder[];
  /** What happened apart from any run in the last day, oldest first. */
  readonly lately: readonly TimelineRow[];
  /** How the last daemon ended; null = one works, or it is not known. */
  readonly ended: LastEnd | null;
}

/** Enough to find the warnings of a bad day among them. */
const LATELY_MAX = 2_000;

/** The end of a daemon is among the last that it said, however long ago that was. */
const LAST_MAX = 500;

/**
 * Prints the page. The exit code says whether a daemon serves: 0 it does, 1 none does, 2 one does and something is wrong.
 * @throws CliError when there is no ledger to read
 */
export async function status(
  options: StatusOptions,
  output: Output,
  now: Instant = instant(Date.now()),
): Promise<ExitCode> {
  const path = await ledgerAt(options);
  const seen = await askLedger(path, (ledger) => ({
    saved: ledger.load(),
    orders: ledger.orders(),
    lately: ledger.lately(after(now, -DAY_MS), LATELY_MAX),
    last: ledger.lately(instant(0), LAST_MAX),
  }));
  const server = await serverOf(path, seen.saved.holds, now);
  const isGone = server.health.state === "down" && server.holder === null;
  const { last, ...rest } = seen;
  const ended = isGone ? lastEnd(last, heartbeatOf(path)) : null;
  const found: Status = { ledger: path, writtenAt: writtenAt(path), ...server, ...rest, ended };
  output.out(
    options.json === true
      ? JSON.stringify(statusView(found, now), null, 2)
      : statusText(found, { now, columns: output.columns, paint: paintFor(output) }),
  );
  return healthCode(found.health);
}

/** Whether a daemon works on the ledger at this path. @throws CliError */
export async function serverOf(path: string, holds: Saved["holds"], now: Instant): Promise<Server> {
  const { held, holder } = await aboutLedger(() => lockState(path));
  const heartbeat = held ? ownHeartbeat(path, holder) : null;
  return { health: healthOf({ held, holder, heartbeat, holds }, now), holder, heartbeat };
}

/** One that an earlier daemon left behind says nothing of this one. */
function ownHeartbeat(path: string, holder: Holder | null): Heartbeat | null {
  const found = heartbeatOf(path);
  const pid = found?.beat?.pid ?? holder?.pid;
  return pid === holder?.pid || holder === null ? found : null;
}

/** Every commit is in the log beside the ledger before it is in the ledger itself. */
function writtenAt(path: string): Instant | null {
  const times = [path, `${path}-wal`].flatMap((file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? [] : [found.mtimeMs];
  });
  return times.length === 0 ? null : instant(Math.max(...times));
}
