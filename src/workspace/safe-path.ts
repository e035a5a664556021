/**
 * Where workspaces may be, looked at anew at every use: an agent writes in its directory, so what was true when a run
 * began need not be true when it ends (SPEC 9.5). Only real paths count, links are refused, never followed.
 */
import type { BigIntStats } from "node:fs";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { WorkspaceError } from "./workspace.ts";

/** A directory as the file system knows it, whatever its name: tells a swapped directory from the one prepared. */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** What is at a workspace's path. Everything else than these two is refused. */
export type Entry =
  | { readonly type: "missing" }
  | { readonly type: "directory"; readonly identity: Identity };

export const sameIdentity = (a: Identity, b: Identity): boolean => a.dev === b.dev && a.ino === b.ino;

/** Only the daemon's user may look into the workspaces: they hold source code, and sometimes what was left in it. */
const privateMode = 0o700;

/**
 * Makes the root when it is missing and answers its real path.
 * @throws WorkspaceError when it cannot be made, is no directory, or was put into a shared directory by somebody else.
 */
export async function openRoot(root: string): Promise<string> {
  try {
    await mkdir(root, { recursive: true, mode: privateMode });
    const real = await realpath(root);
    await refuseForeignRoot(real);
    return real;
  } catch (cause) {
    throw edgeError(`the workspace root ${root} cannot be used`, cause);
  }
}

/** Like `openRoot`, but makes nothing: null when there is no root. @throws WorkspaceError */
export async function findRoot(root: string): Promise<string | null> {
  try {
    const real = await realpath(root);
    await refuseForeignRoot(real);
    return real;
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return null;
    throw edgeError(`the workspace root ${root} cannot be read`, cause);
  }
}

async function refuseForeignRoot(root: string): Promise<void> {
  const [own, parent] = await Promise.all([lstat(root), lstat(dirname(root))]);
  if (!isForeign(own.uid, parent.mode, process.getuid?.() ?? own.uid)) return;
  throw new WorkspaceError(
    "workspace_error",
    `the workspace root ${root} belongs to another user (uid ${own.uid}), in a directory everybody can write to`,
    { hint: "Set workspace.root to a directory of your own." },
  );
}

/** Sticky and writable by all, like /tmp: there anybody can make our root before we do, and then owns it. */
const sharedBits = 0o1002;

/** Whether a root of this owner, in a directory of this mode, is somebody else's trap for `user`. */
export const isForeign = (owner: number, parentMode: number, user: number): boolean =>
  (parentMode & sharedBits) === sharedBits && owner !== user && owner !== 0;

/**
 * What is at `<root>/<key>`; `root` is a real path.
 * @throws WorkspaceError when it is a link, a file, a pipe, a socket, or its real path is another.
 */
export async function inspect(root: string, key: string): Promise<Entry> {
  const path = join(root, key);
  if (dirname(path) !== root || basename(path) !== key || key.startsWith("."))
    throw refused(path, "is not directly under the workspace root");
  try {
    const found = await lstat(path, { bigint: true });
    if (!found.isDirectory()) throw refused(path, `is ${kindOf(found)}, not a directory`);
    const real = await realpath(path);
    // Also what a file system that ignores case answers for a key spelled like an existing one.
    if (real !== path) throw refused(path, `is really ${real}`);
    return { type: "directory", identity: { dev: found.dev, ino: found.ino } };
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return { type: "missing" };
    throw edgeError(`the workspace ${path} cannot be read`, cause);
  }
}

/**
 * A directory of ours under the root, for what is being removed or made; made when it is missing.
 * @throws WorkspaceError when something else has taken its name.
 */
export async function ownDirectory(root: string, name: `.${string}`): Promise<string> {
  const path = join(root, name);
  try {
    await mkdir(path, { mode: privateMode }).catch(ignoreExisting);
    const found = await lstat(path, { bigint: true });
    if (!found.isDirectory()) throw refused(path, `is ${kindOf(found)}, not a directory`);
    return path;
  } catch (cause) {
    throw edgeError(`the directory ${path} cannot be used`, cause);
  }
}

function ignoreExisting(cause: unknown): void {
  if (errorCode(cause) !== "EEXIST") throw cause;
}

function kindOf(found: BigIntStats): string {
  if (found.isSymbolicLink()) return "a symbolic link";
  if (found.isFIFO()) return "a named pipe";
  if (found.isSocket()) return "a socket";
  if (found.isFile()) return "a file";
  return "a device";
}

const refused = (path: string, why: string): WorkspaceError =>
  new WorkspaceError("workspace_error", `the workspace path ${path} ${why}`, {
    hint: "Somebody or something put it there: look at it, then move or remove it by hand.",
  });

/** The code of a failed system call, `ENOENT`; null for anything else. */
export function errorCode(cause: unknown): string | null {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
}

const hints: Readonly<Record<string, string>> = {
  EACCES: "Give the user that runs Baton read and write permission there, or change workspace.root.",
  EPERM: "Give the user that runs Baton read and write permission there, or change workspace.root.",
  EROFS: "The file system is read-only: change workspace.root.",
  ENOSPC: "The disk is full: free some space, for example by removing workspaces of finished issues.",
  EDQUOT: "The disk quota is used up: free some space, or raise it.",
  ENOTDIR: "A part of the path is not a directory: change workspace.root.",
  EEXIST: "Something else is already there: remove it, or change workspace.root.",
  ENAMETOOLONG: "The path is too long: choose a shorter workspace.root.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n).",
};

/** The boundary's error for a failed system call; one of ours stays what it is. */
export function edgeError(what: string, cause: unknown): WorkspaceError {
  if (cause instanceof WorkspaceError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const hint = hints[errorCode(cause) ?? ""];
  return new WorkspaceError("workspace_error", `${what}: ${why}`, { ...(hint && { hint }), cause });
}
