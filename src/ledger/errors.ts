/** What SQLite says, in words a person can act on. */
import { LedgerError, type LedgerErrorKind } from "./ledger-error.ts";
import Database from "better-sqlite3";

/** Runs `work`; whatever it throws becomes a LedgerError that says what was being done to which file. */
export function guarded<T>(path: string, doing: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw ledgerError(path, doing, error);
  }
}

/** The LedgerError for anything thrown while `doing` ("writing to"); one that already is one stays as it is. */
export function ledgerError(path: string, doing: string, cause: unknown): LedgerError {
  if (cause instanceof LedgerError) return cause;
  const code = codeOf(cause);
  const kind = kindOf(code);
  const said = cause instanceof Error ? cause.message : String(cause);
  const suffix = code === null || said.includes(code) ? "" : ` (${code})`;
  return new LedgerError(
    kind,
    path,
    `${doing} the ledger ${path} failed: ${said}${suffix}`,
    hints[kind],
    cause,
  );
}

const hints: Readonly<Record<LedgerErrorKind, string>> = {
  full: "the disk is full: free some space; what was acknowledged is safe",
  busy: "another program holds the database: close what writes to it (a second daemon, an SQL shell in a transaction)",
  io: "the disk did not take or give the data: see the system's log (dmesg), and the file system's state",
  read_only: "the user baton runs as must own the file and its directory and be able to write both",
  missing:
    "name the WORKFLOW.md the daemon was started with, or set `ledger.path` in it to where the ledger is",
  foreign: "set `ledger.path` to a file of its own",
  newer: "use the version of baton that has written it",
  lost: "put the file back, then start the daemon",
  damaged:
    "start the daemon: it keeps the damaged file and goes on with what can be read of it; a backup may hold more (docs/LEDGER.md)",
  inconsistent: "this is a fault in baton: nothing was written; please report it with the log around it",
};

const codeOf = (cause: unknown): string | null => {
  if (cause instanceof Database.SqliteError) return cause.code;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
};

const kinds: ReadonlyArray<readonly [RegExp, LedgerErrorKind]> = [
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/, "full"],
  [/^SQLITE_(BUSY|LOCKED)/, "busy"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "damaged"],
  [/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|EEXIST|ENOENT)/, "read_only"],
  [/^(SQLITE_(IOERR|NOMEM|PROTOCOL|NOLFS)|E[A-Z]+$)/, "io"],
];

const kindOf = (code: string | null): LedgerErrorKind =>
  code === null ? "inconsistent" : (kinds.find(([pattern]) => pattern.test(code))?.[1] ?? "inconsistent");
