/**
 * One daemon per ledger: a database beside it (`lock.ledger.db`), held with an exclusive transaction for the daemon's life.
 * The system frees it with the process, however that ends, so there is no stale lock to clear. Who holds it stands in a
 * file beside.
 *
 * Earlier versions had one lock for all ledgers of a directory (`lock.db`), exclusive. This one shares it with its like:
 * so an earlier daemon and this one keep each other from the ledger, and two ledgers of this one live side by side.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { isAlive } from "../processes/processes.ts";
import { guarded } from "./errors.ts";

export interface Holder {
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  /** Absolute paths of the WORKFLOW.md files. */
  readonly workflows: readonly string[];
}

export interface Lock {
  /** The name of the ledger that was here at the last start (`Saved.installation`); null = there was none. */
  readonly installation: string | null;
  /** Keeps the name of the ledger that is here now: should the ledger be lost, its processes are found by it. */
  remember(installation: string): void;
  /** Idempotent. */
  release(): void;
}

/** Another daemon has the ledger. */
export class LockHeld extends Error {
  /** Null when it does not say: it is only just starting. */
  readonly holder: Holder | null;

  /** `path`: of the ledger. */
  constructor(path: string, holder: Holder | null) {
    const who =
      holder === null
        ? "another process"
        : `process ${holder.pid}, since ${holder.since}, for ${holder.workflows.join(", ")}`;
    super(
      `The ledger ${path} is held by ${who}. One daemon works on a ledger: stop that one first. A ledger.path of its own is only for a daemon with other tickets and another workspace.root: two on the same tickets would both work on each of them.`,
    );
    this.name = "LockHeld";
    this.holder = holder;
  }
}

/** Not a name that begins as the ledger's: whoever removes `ledger.db*` does not remove the memory of it. */
const lockOf = (ledger: string): string => join(dirname(ledger), `lock.${basename(ledger)}`);

const earlierLockOf = (ledger: string): string => join(dirname(ledger), "lock.db");

/** Takes the lock of the ledger at this path, at once or not at all. @throws LockHeld, LedgerError */
export function takeLock(ledger: string, holder: Holder): Lock {
  const path = lockOf(ledger);
  const earlier = guarded(ledger, "locking", () => shared(earlierLockOf(ledger)));
  if (earlier === null) throw new LockHeld(ledger, holderOf(earlierLockOf(ledger)));
  const db = guarded(ledger, "locking", () => lockedBeside(path, earlier));
  if (db === null) throw new LockHeld(ledger, holderOf(path));
  const installation = rememberedAt(ledger, holder);
  tell(path, holder, installation);
  return {
    installation,
    remember: (name) => tell(path, holder, name),
    release: () => {
      if (db.open) db.close();
      if (earlier.open) earlier.close();
    },
  };
}

/** The name of the ledger that was here at the last start; null when there was none. */
export const rememberedLedger = (ledger: string): string | null => installationIn(told(lockOf(ledger)));

/** An earlier version remembered one ledger of the directory: this one, when it was for the same workflow. */
function rememberedAt(ledger: string, { workflows }: Holder): string | null {
  const own = rememberedLedger(ledger);
  if (own !== null || existsSync(holderFile(lockOf(ledger)))) return own;
  const earlier = told(earlierLockOf(ledger));
  return isHolder(earlier) && earlier.workflows[0] === workflows[0] ? installationIn(earlier) : null;
}

/**
 * Whether a daemon works on the ledger beside this lock, and which. Takes nothing away from it; at the moment of its
 * start it is waited for, or not seen yet. @throws LedgerError
 */
export const lockState = (ledger: string): LockState =>
  guarded(ledger, "looking at the lock of", () => {
    const own = stateAt(lockOf(ledger));
    return own.held ? own : stateAt(earlierLockOf(ledger));
  });

/** Whether a daemon works on the very ledger of this name at this path; one that is only just starting counts. */
export function isServedAs(ledger: string, installation: string): boolean {
  try {
    const remembered = rememberedLedger(ledger);
    return lockState(ledger).held && (remembered === null || remembered === installation);
  } catch {
    // A lock that cannot be read, of another user say, tells nothing.
    return false;
  }
}

export interface LockState {
  readonly held: boolean;
  /** Null when nobody has it, or it does not say who. */
  readonly holder: Holder | null;
}

function stateAt(path: string): LockState {
  if (!existsSync(path)) return { held: false, holder: null };
  const db = new Database(path, { readonly: true, timeout: 0 });
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return { held: false, holder: null };
  } catch (error) {
    if (isBusy(error)) return { held: true, holder: holderOf(path) };
    throw error;
  } finally {
    db.close();
  }
}

/** Held for reading until it is closed; null when an earlier version has it for itself. */
function shared(path: string): Database.Database | null {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = new Database(path, { timeout: PATIENCE_MS });
  try {
    chmodSync(path, 0o600);
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return db;
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/** `earlier` is let go of when this one cannot be had. */
function lockedBeside(path: string, earlier: Database.Database): Database.Database | null {
  let db: Database.Database | null = null;
  try {
    db = locked(path);
    return db;
  } finally {
    if (db === null) earlier.close();
  }
}

/** Null when somebody else has it. */
function locked(path: string): Database.Database | null {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = new Database(path, { timeout: PATIENCE_MS });
  try {
    chmodSync(path, 0o600);
    db.pragma("locking_mode = EXCLUSIVE");
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/** A process that was killed a moment ago may still be leaving. */
const PATIENCE_MS = 250;

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");

const holderFile = (path: string): string => `${path}.holder.json`;

/**
 * Renamed into place: whoever reads it finds the whole of it, or the whole of the one before. The lock holds without it:
 * a full disk does not keep a daemon from starting.
 */
function tell(path: string, holder: Holder, installation: string | null): void {
  const draft = `${holderFile(path)}.${holder.pid}`;
  try {
    writeFileSync(draft, JSON.stringify({ ...holder, installation }), { mode: 0o600 });
    renameSync(draft, holderFile(path));
  } catch {
    rmSync(draft, { force: true });
  }
}

/** Who holds the lock; null when the file is of an earlier holder, who is gone. */
function holderOf(path: string): Holder | null {
  const found = told(path);
  return isHolder(found) && isAlive(found.pid) ? found : null;
}

/** Who has the ledger at this path or was the last to have it; null = nobody ever, or it was not told. */
export function lastHolder(ledger: string): Holder | null {
  const [own, earlier] = [told(lockOf(ledger)), told(earlierLockOf(ledger))];
  return isHolder(own) ? own : isHolder(earlier) ? earlier : null;
}

function told(path: string): unknown {
  try {
    return JSON.parse(readFileSync(holderFile(path), "utf8"));
  } catch {
    return null;
  }
}

const installationIn = (value: unknown): string | null =>
  typeof value === "object" &&
  value !== null &&
  "installation" in value &&
  typeof value.installation === "string"
    ? value.installation
    : null;

const isHolder = (value: unknown): value is Holder =>
  typeof value === "object" &&
  value !== null &&
  "pid" in value &&
  Number.isSafeInteger(value.pid) &&
  Number(value.pid) > 0 &&
  "since" in value &&
  typeof value.since === "string" &&
  "workflows" in value &&
  Array.isArray(value.workflows);
