/**
 * Whether a file that SQLite cannot read is a damaged ledger or was never one. Somebody who names a wrong file in
 * `ledger.path` or `--ledger` means that file no harm: it is left where it is and as it is.
 */
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { LedgerError } from "./ledger-error.ts";
import { refuseDirectory } from "./there.ts";

const MAGIC = Buffer.from("SQLite format 3\0", "latin1");

/** Of a text, what is shown of its beginning. */
const SHOWN_BYTES = 40;

/** Where a ledger of ours may still be found in a file whose first page is gone. */
const SEARCHED_BYTES = 1024 * 1024;

/** What a ledger leaves beside it. */
const TRACES = ["-wal", "-shm", ".ended"] as const;

/**
 * @throws LedgerError when there is a file that is no ledger: it has another form, and nothing says that a ledger was in
 * its place. `isKnown`: the lock remembers one.
 */
export function refuseStranger(path: string, isKnown = false): void {
  refuseDirectory(path);
  const what = strangerAt(path);
  if (what === null || isKnown) return;
  throw new LedgerError(
    "foreign",
    path,
    `${path} is no ledger: it is ${what}`,
    "it was left as it is: name the ledger itself (`--ledger`, or `ledger.path` in WORKFLOW.md; by default it is .baton/ledger.db beside that file)",
  );
}

/** What the file is; null when it is a database, was a ledger, or is not there. */
function strangerAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) return "no regular file";
  if (TRACES.some((suffix) => existsSync(path + suffix))) return null;
  if (found.size === 0) return "an empty file";
  const bytes = beginning(path);
  const isDatabase = bytes.subarray(0, MAGIC.length).equals(MAGIC);
  if (isDatabase || bytes.includes("CREATE TABLE claims")) return null;
  const shown = bytes.subarray(0, SHOWN_BYTES).toString("latin1");
  return /^[\t\n\r\x20-\x7e]*$/.test(shown)
    ? `a text file that begins with ${JSON.stringify(shown)}`
    : "a file of another kind, and no database";
}

function beginning(path: string): Buffer {
  const buffer = Buffer.alloc(SEARCHED_BYTES);
  const file = openSync(path, "r");
  try {
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(file);
  }
}

/** Links in a row: more is a loop. */
const LINKS_MAX = 40;

/**
 * The file itself, where `path` is a link to it, also to one that is not there yet. SQLite puts the log beside the file and
 * not beside the link; whoever moves one has to move the other.
 */
export function ledgerFile(path: string): string {
  let file = path;
  for (let links = 0; links < LINKS_MAX; links++) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file;
    if (existsSync(file)) return realpathSync(file);
    file = resolve(dirname(file), readlinkSync(file));
  }
  return path;
}
