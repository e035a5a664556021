/**
 * How the last life of a ledger ended, in a file beside it. After a clean end the start need not look at what was written
 * before: the file says which database it speaks of, by size and time of the last change, and there is no log. Anything
 * else, a kill or another program's change, and the file is gone or speaks of another database.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncFolder } from "./aside.ts";

/**
 * `clean`: closed with everything in it, and not touched since. `unclean`: killed, or changed by another program.
 * `suspect`: damage was met, all of it has to be looked at.
 */
export type Ended = "clean" | "unclean" | "suspect";

const file = (path: string): string => `${path}.ended`;

/** How it ended; from now on it counts as killed. To be asked before anything is written. */
export function takeEnded(path: string): Ended {
  const said = read(path);
  if (said === null) return "unclean";
  if (said === SUSPECT) return "suspect";
  const ended = said === stateOf(path) ? "clean" : "unclean";
  rmSync(file(path), { force: true });
  // A file that comes back with the power would speak of a database that was written since.
  syncFolder(path);
  return ended;
}

/** The ledger was closed with everything in it. Says nothing where that cannot be told: the next start looks then. */
export function sayClean(path: string): void {
  const state = stateOf(path);
  if (state !== null && read(path) !== SUSPECT) write(path, state);
}

/** What is on the disk is not what was written. */
export const saySuspect = (path: string): void => write(path, SUSPECT);

/** What was suspect has been looked at, or is no longer there. */
export const forgetEnded = (path: string): void => rmSync(file(path), { force: true });

const SUSPECT = "suspect";

/** Null when there is a log: it holds what the database does not. */
function stateOf(path: string): string | null {
  try {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return null;
    const { size, mtimeNs, ino } = statSync(path, { bigint: true });
    return `clean ${size} ${mtimeNs} ${ino}`;
  } catch {
    return null;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(file(path), "utf8");
  } catch {
    return null;
  }
}

/** Never throws: without the file the next start looks at more than it need. */
function write(path: string, text: string): void {
  const draft = `${file(path)}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file(path));
  } catch {
    rmSync(draft, { force: true });
  }
}
