/** A whole copy of a ledger, also while a daemon writes: SQLite makes it from one moment. */
import { LedgerError } from "./ledger-error.ts";
import Database from "better-sqlite3";
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { connectUnchecked } from "./connect.ts";
import { guarded } from "./errors.ts";
import { knowSeals } from "./schema/schema.ts";
import { damageOf } from "./repair/repair.ts";

export interface Backup {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Writes a copy of the ledger at `from` to `to`, looks at it, and only then gives it its name: a backup that is there
 * is whole. Never writes over a file. @throws LedgerError
 */
export function backUp(from: string, to: string): Backup {
  refuseExisting(to);
  const partial = `${to}.partial-${process.pid}`;
  guarded(to, "writing the backup to", () => {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    // SQLite would follow the umask; it takes an empty file as its own.
    writeFileSync(partial, "", { mode: 0o600, flag: "wx" });
  });
  try {
    const source = connectUnchecked(from);
    try {
      guarded(from, "copying", () => source.prepare("VACUUM INTO ?").run(partial));
    } finally {
      source.close();
    }
    lookAt(partial, from);
    name(partial, to);
    return { path: to, bytes: statSync(to).size };
  } finally {
    for (const suffix of ["", "-journal"]) rmSync(partial + suffix, { force: true });
  }
}

function lookAt(copy: string, from: string): void {
  const db = new Database(copy, { readonly: true });
  try {
    knowSeals(db);
    const [problem] = damageOf(db, from);
    if (problem === undefined) return;
    throw new LedgerError(
      "damaged",
      from,
      `the ledger ${from} is damaged, and so would the backup be: ${problem}`,
      "`baton ledger check` says more; nothing was written, earlier backups are as they were",
    );
  } finally {
    db.close();
  }
}

/** A link refuses what a rename would replace. */
function name(partial: string, to: string): void {
  try {
    linkSync(partial, to);
  } catch {
    // Not every file system has hard links.
    refuseExisting(to);
    guarded(to, "writing the backup to", () => renameSync(partial, to));
  }
}

function refuseExisting(to: string): void {
  if (!existsSync(to)) return;
  throw new LedgerError(
    "read_only",
    to,
    `${to} is there already, and a backup never replaces one`,
    "name a file that does not exist yet",
  );
}
