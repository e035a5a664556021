/**
 * Where workspaces may be, looked at anew at every use: an agent writes in its directory, so what was true when a run
 * began need not be true when it ends (SPEC 9.5). Only real paths count, links are refused, never followed.
 */
import type { BigIntStats } from "node:fs";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { edgeError, errorCode, rootError } from "./edge-error.ts";
import { type Held, holdingIn, type Identity } from "./held.ts";
import { WorkspaceError } from "../port.ts";

/** What is at a workspace's path. Everything else than these two is refused. */
export type Entry =
  | { readonly type: "missing" }
  | { readonly type: "directory"; readonly identity: Identity };

/** Only the daemon's user may look into the workspaces: they hold source code, and sometimes what was left in it. */
const PRIVATE_MODE = 0o700;

/**
 * Makes the root when it is missing and answers its real path.
 * @throws WorkspaceError when it cannot be made, is no directory, or was put into a shared directory by somebody else.
 */
export async function openRoot(root: string): Promise<string> {
  try {
    return (await realRoot(root)) ?? (await makeRoot(root));
  } catch (cause) {
    throw unusableRoot(root, cause);
  }
}

/** Whatever is wrong with the root is wrong for every workspace. */
function unusableRoot(root: string, cause: unknown): WorkspaceError {
  const { message, hint } = edgeError(`the workspace root ${root} cannot be used`, cause);
  return new WorkspaceError("root_unusable", message, { ...(hint !== null && { hint }), cause });
}

async function makeRoot(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: PRIVATE_MODE });
  return (await realRoot(root)) ?? root;
}

/** Like `openRoot`, but makes nothing: null when there is no root. @throws WorkspaceError */
export async function findRoot(root: string): Promise<string | null> {
  try {
    return await realRoot(root);
  } catch (cause) {
    throw edgeError(`the workspace root ${root} cannot be read`, cause);
  }
}

async function realRoot(root: string): Promise<string | null> {
  try {
    const real = await realpath(root);
    await refuseForeignRoot(real);
    return real;
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return null;
    throw cause;
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
const SHARED_BITS = 0o1002;

/** Whether a root of this owner, in a directory of this mode, is somebody else's trap for `user`. */
export const isForeign = (owner: number, parentMode: number, user: number): boolean =>
  (parentMode & SHARED_BITS) === SHARED_BITS && owner !== user && owner !== 0;

/**
 * What is at `<root>/<key>`.
 * @throws WorkspaceError when it is a link, a file, a pipe, a socket, or its real path is another.
 */
export async function inspect(root: Held, key: string): Promise<Entry> {
  const path = join(root.path, key);
  if (dirname(path) !== root.path || basename(path) !== key || key.startsWith("."))
    throw refused(path, "is not directly under the workspace root");
  try {
    const found = await lstat(root.at(key), { bigint: true });
    if (!found.isDirectory()) throw refused(path, `is ${kindOf(found)}, not a directory`);
    // What a file system that ignores case answers for a key spelled like an existing one. Linux gives names back as they
    // were spelled, and no link can be on the way: the root is held, and the key is a single name.
    const real = process.platform === "linux" ? path : await realpath(root.at(key));
    if (real !== path) throw refused(path, `is really ${real}`);
    return { type: "directory", identity: { dev: found.dev, ino: found.ino } };
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return { type: "missing" };
    throw edgeError(`the workspace ${path} cannot be read`, cause);
  }
}

/**
 * Holds a directory of ours under the root, for what is being removed or made; makes it when it is missing.
 * @throws WorkspaceError when something else has taken its name.
 */
export async function holdingOwn<T>(
  root: Held,
  name: `.${string}`,
  use: (own: Held) => Promise<T>,
): Promise<T> {
  await mkdir(root.at(name), { mode: PRIVATE_MODE }).catch((cause: unknown) => {
    if (errorCode(cause) !== "EEXIST")
      throw rootError(`the directory ${join(root.path, name)} cannot be used`, cause);
  });
  return holdingIn(root, name, use);
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
