/**
 * One daemon per ledger: a database beside it, held with an exclusive transaction for the daemon's life. The system frees
 * it with the process, however that ends, so there is no stale lock to clear. Who holds it stands in a file beside.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";

export interface Holder {
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  /** Absolute paths of the WORKFLOW.md files. */
  readonly workflows: readonly string[];
}

export interface Lock {
  /** Idempotent. */
  release(): void;
}

/** Another daemon has the ledger. */
export class LockHeld extends Error {
  /** Null when it does not say: it is only just starting. */
  readonly holder: Holder | null;

  constructor(path: string, holder: Holder | null) {
    const who =
      holder === null
        ? "another process"
        : `process ${holder.pid}, since ${holder.since}, for ${holder.workflows.join(", ")}`;
    super(
      `The ledger of ${path} is held by ${who}. One daemon works on a ledger: stop that one first, or give this one a ledger.path of its own.`,
    );
    this.name = "LockHeld";
    this.holder = holder;
  }
}

/** Takes the lock at `path` (`lock.db` beside the ledger) at once or not at all. @throws LockHeld */
export function takeLock(path: string, holder: Holder): Lock {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = new Database(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    db.pragma("locking_mode = EXCLUSIVE");
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) {
      throw new LockHeld(path, holderOf(path));
    }
    throw error;
  }
  tellHolder(path, holder);
  return {
    release: () => {
      if (db.open) db.close();
    },
  };
}

const holderFile = (path: string): string => `${path}.holder.json`;

// Renamed into place: whoever reads it finds the whole of it, or the whole of the one before.
function tellHolder(path: string, holder: Holder): void {
  const draft = `${holderFile(path)}.${holder.pid}`;
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
  renameSync(draft, holderFile(path));
}

function holderOf(path: string): Holder | null {
  try {
    const told: unknown = JSON.parse(readFileSync(holderFile(path), "utf8"));
    return isHolder(told) ? told : null;
  } catch {
    return null;
  }
}

const isHolder = (value: unknown): value is Holder =>
  typeof value === "object" &&
  value !== null &&
  "pid" in value &&
  "since" in value &&
  "workflows" in value &&
  Array.isArray(value.workflows);
