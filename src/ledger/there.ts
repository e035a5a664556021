/** Why there is no ledger to ask at a path: none was ever made, it is a directory, or a daemon lost its file. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../processes/processes.ts";
import { BEAT_EVERY_MS, heartbeatOf } from "./heartbeat.ts";
import { LedgerError } from "./ledger-error.ts";
import { lockState } from "./lock.ts";

/** Where the ledger is in a directory that somebody names in its place: beside a WORKFLOW.md, or in `.baton` itself. */
const USUAL = ["ledger.db", join(".baton", "ledger.db")] as const;

/** A daemon touches its sign of life every two seconds; one that is older may be of a process that is gone. */
const FRESH_MS = 8 * BEAT_EVERY_MS;

/** Looks by name, and opens nothing. @throws LedgerError when there is no file that could be a ledger */
export function refuseMissing(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw missing(path);
  refuseDirectory(path);
}

/** @throws LedgerError when it is a directory */
export function refuseDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const inside = USUAL.map((name) => join(path, name)).find((file) => existsSync(file));
  throw new LedgerError(
    "foreign",
    path,
    `${path} is a directory, and a ledger is a file`,
    inside === undefined
      ? "there is no ledger in it either: name the file (`--ledger`, BATON_LEDGER, or `ledger.path` in WORKFLOW.md)"
      : `the ledger in it is ${inside}: name that`,
  );
}

function missing(path: string): LedgerError {
  const pid = servedBy(path);
  if (pid !== null) return lostUnder(path, pid);
  return new LedgerError(
    "missing",
    path,
    `no ledger at ${path}: no daemon has run here yet`,
    "start one with `baton`, or name the WORKFLOW.md of the daemon you mean (its `ledger.path` says where the ledger is)",
  );
}

/** The process that works on the ledger of this path, by its lock or by its sign of life; null = none does. */
function servedBy(path: string): number | "unknown" | null {
  const { held, holder } = lockState(path);
  if (held) return holder?.pid ?? "unknown";
  const heartbeat = heartbeatOf(path);
  const pid = heartbeat?.beat?.pid ?? null;
  const isFresh = heartbeat !== null && Date.now() - heartbeat.at < FRESH_MS;
  return pid !== null && isFresh && isAlive(pid) ? pid : null;
}

const lostUnder = (path: string, pid: number | "unknown"): LedgerError =>
  new LedgerError(
    "lost",
    path,
    `a daemon runs (process ${pid}), but its ledger ${path} is gone: the file was moved or deleted while it was in use`,
    LOST_HINT,
  );

/** What to do about a ledger whose file was taken from under its daemon. */
export const LOST_HINT =
  "a daemon that notices ends by itself. Put the file back (a backup, or where it was moved to, with its -wal), then start the daemon; started without it, it begins with an empty ledger, and its counters, pauses and parked tickets are forgotten";
