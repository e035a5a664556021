/**
 * Whether the file of a ledger is still in its place while a daemon has it open. SQLite goes on writing into a file that was
 * deleted or moved, and nobody would find what it wrote: all that was acknowledged since would be forgotten by the next start.
 */
import { statSync } from "node:fs";
import { LedgerError } from "./ledger-error.ts";
import { LOST_HINT } from "./there.ts";

/**
 * Remembers the file that is there now. What it returns costs one look at a name: false = nothing, or another file, is in
 * its place. A disk that does not answer says nothing of it.
 */
export function stillThere(path: string): () => boolean {
  const own = identityAt(path);
  return () => {
    const now = identityAt(path);
    return own === UNKNOWN || now === UNKNOWN || now === own;
  };
}

/** What a daemon ends with whose ledger was taken away. */
export const takenAway = (path: string): LedgerError =>
  new LedgerError(
    "lost",
    path,
    `the ledger ${path} was moved, deleted or replaced while it was in use: nothing that is done could be remembered`,
    LOST_HINT,
  );

const UNKNOWN = "unknown";

function identityAt(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "none" : `${found.dev}:${found.ino}`;
  } catch {
    return UNKNOWN;
  }
}
