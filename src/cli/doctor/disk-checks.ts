/** Places the daemon writes to: there or makeable, writable, private, and with room left. */
import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LedgerError, openLedgerReadOnly } from "../../ledger/ledger.ts";
import { ledgerPath } from "../workflows.ts";
import { type Check, fail, type Finding, ok, skip, warn } from "./check.ts";
import type { Subject } from "./subject.ts";
import { isWritable } from "./writable.ts";

const GIGABYTE = 1024 ** 3;
const MEGABYTE = 1024 ** 2;

/** A few clones with their dependencies fill this. */
const FREE_WANTED = 5 * GIGABYTE;
/** With less, the first clone or the ledger's next commit fails. */
const FREE_NEEDED = 200 * MEGABYTE;

export const ledgerCheck = (subject: Subject): Check => ({
  name: "ledger",
  run: async () => {
    if (subject.workflow === null) return skip("needs a workflow that loads");
    const path = ledgerPath(subject.workflow);
    if (!existsSync(path)) return writableFinding(dirname(path), `${path} will be made`, "ledger.path");
    const unreadable = await ledgerTrouble(path);
    if (unreadable !== null) return fail(unreadable.message, unreadable.hint);
    if (!isWritable(path))
      return fail(`${path} is not writable`, "Make it writable for the user that runs Baton.");
    return writableFinding(dirname(path), path, "ledger.path");
  },
});

async function ledgerTrouble(path: string): Promise<LedgerError | null> {
  try {
    openLedgerReadOnly(path).close();
    return null;
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
}

export const stateDirectoryCheck = (subject: Subject): Check => ({
  name: "state dir",
  run: async () => {
    if (subject.workflow === null) return skip("needs a workflow that loads");
    const directory = dirname(ledgerPath(subject.workflow));
    if (!existsSync(directory)) return ok(`${directory} will be made, for this user only`);
    const { mode, uid } = statSync(directory);
    const bits = (mode & 0o777).toString(8);
    if (uid !== process.getuid?.() && process.getuid?.() !== 0)
      return warn(`${directory} belongs to another user (uid ${uid})`, "Run Baton as that user.");
    return (mode & 0o077) === 0
      ? ok(`${directory}, mode ${bits}`)
      : warn(`${directory} has mode ${bits}: others can look into the ledger`, `chmod 700 ${directory}`);
  },
});

export const workspaceRootCheck = (subject: Subject): Check => ({
  name: "workspaces",
  run: async () => {
    if (subject.workflow === null) return skip("needs a workflow that loads");
    const { root } = subject.workflow.settings.workspace;
    const text = existsSync(root) ? root : `${root} will be made`;
    return writableFinding(root, text, "workspace.root");
  },
});

/** `directory`, or where it would be made, can be written and has room. */
function writableFinding(directory: string, text: string, key: string): Finding {
  const there = nearest(directory);
  if (!statSync(there).isDirectory())
    return fail(`${there} is not a directory`, `Set ${key} to a directory.`, "configuration");
  if (!isWritable(there))
    return fail(
      `${there} is not writable for this user`,
      `Make it writable, or set ${key} to another place.`,
    );
  const { bavail, bsize } = statfsSync(there);
  const free = bavail * bsize;
  if (free < FREE_NEEDED) return fail(`${text}, with ${size(free)} free`, "Free some space.");
  return free < FREE_WANTED
    ? warn(
        `${text}, with ${size(free)} free`,
        "Free some space: each workspace holds a clone and its dependencies.",
      )
    : ok(`${text} (${size(free)} free)`);
}

/** The directory itself, or the first above it that is there. */
const nearest = (directory: string): string =>
  existsSync(directory) || dirname(directory) === directory ? directory : nearest(dirname(directory));

const size = (bytes: number): string =>
  bytes >= GIGABYTE ? `${Math.round(bytes / GIGABYTE)} GB` : `${Math.round(bytes / MEGABYTE)} MB`;
