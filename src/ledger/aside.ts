/**
 * Moves files so that a kill at any moment leaves either the old ledger or the new one, and never one's database with
 * the other's log: SQLite would apply that log.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Set-aside ledgers that are kept: enough to see a pattern, and a disk that rots does not fill itself up. */
export const SET_ASIDE_MAX = 5;

const LOGS = ["-wal", "-shm"] as const;

/** Gives a whole new file its name, unless somebody else has made one there meanwhile. */
export function placeNew(fresh: string, path: string): void {
  syncFile(fresh);
  try {
    linkSync(fresh, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    // Not every file system has hard links.
    renameSync(fresh, path);
  }
  syncFolder(path);
}

/**
 * Puts `rebuilt` in the place of the ledger, which goes aside with its log under the name that is returned. Begins by
 * a name that says "this is whole": from then on `finishSwap` can do the rest after a kill.
 */
export function swap(path: string, rebuilt: string, stamp: string): string {
  syncFile(rebuilt);
  renameSync(rebuilt, `${path}.rebuilt-${stamp}`);
  syncFolder(path);
  finishSwap(path);
  return damagedName(path, stamp);
}

/** Finishes a swap that a kill cut short. Returns where the damaged ledger is; null = there was none to finish. */
export function finishSwap(path: string): string | null {
  const prefix = `${basename(path)}.rebuilt-`;
  const found = beside(path, prefix)[0];
  if (found === undefined) return null;
  const stamp = found.slice(prefix.length);
  setAside(path, stamp);
  renameSync(join(dirname(path), found), path);
  syncFolder(path);
  return damagedName(path, stamp);
}

/** Moves what is left of a ledger out of the way, database first: a log without one is never applied to a new one. */
export function setAside(path: string, stamp: string): string {
  const aside = damagedName(path, stamp);
  for (const suffix of ["", ...LOGS]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  syncFolder(path);
  forgetOldest(path);
  return aside;
}

/** What a kill during an earlier attempt may have left behind. */
export function clearLeftovers(path: string): void {
  for (const part of [".new-", ".rebuilding", ".salvage"]) {
    for (const name of beside(path, basename(path) + part))
      rmSync(join(dirname(path), name), { force: true });
  }
}

const damagedName = (path: string, stamp: string): string => `${path}.damaged-${stamp}`;

function forgetOldest(path: string): void {
  const prefix = `${basename(path)}.damaged-`;
  const ledgers = beside(path, prefix).filter((name) => LOGS.every((suffix) => !name.endsWith(suffix)));
  for (const name of ledgers.slice(0, Math.max(0, ledgers.length - SET_ASIDE_MAX))) {
    for (const suffix of ["", ...LOGS]) rmSync(join(dirname(path), name) + suffix, { force: true });
  }
}

/** Names in the ledger's folder, in order: stamps are times, so the oldest comes first. */
function beside(path: string, prefix: string): readonly string[] {
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(prefix))
      .sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What was made, renamed or removed beside this file stays so when the power goes. */
export const syncFolder = (path: string): void => syncFile(dirname(path));

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
