/**
 * Removing directories that somebody else filled. A directory leaves its place by one rename, so nobody meets it half
 * removed; what is then deleted has a name nobody knows.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { edgeError, errorCode } from "./edge-error.ts";
import { Excerpt } from "../../processes/processes.ts";
import type { Held } from "./held.ts";
import { holdingOwn } from "./safe-path.ts";
import { unlock } from "./unlock.ts";

/** Under each root. */
export const TRASH = ".trash";

/** A large checkout with its dependencies takes seconds; a disk that needs more than this is broken. */
const REMOVAL_MAX_MS = 10 * 60_000;

/** Leftovers of an earlier process are looked at once; they may hold up the first run this long, the rest waits. */
const LEFTOVERS_MAX_MS = 10_000;
const LEFTOVERS_MAX = 100;

/** A line or two is shown; `rm` may write one for every file it could not remove. */
const SAID_MAX_BYTES = 4 * 1024;

/** What this process is removing just now, by names that are nobody else's. */
const underWay = new Set<string>();

export interface ThrownAway {
  /** False: there was nothing of this name. */
  readonly found: boolean;
  /** What is wrong with what could not be deleted and lies in the trash; null = it is gone. */
  readonly left: string | null;
}

/**
 * Renames `<root>/<key>` out of the way, awaits `moved`, and deletes it as `deleteIn` does. What is left when the signal
 * comes is left to the next look at leftovers. @throws WorkspaceError when it could not be moved: it is still there.
 */
export const throwAway = (
  root: Held,
  key: string,
  { moved, signal }: { readonly moved?: () => Promise<void>; readonly signal?: AbortSignal | undefined } = {},
): Promise<ThrownAway> =>
  holdingOwn(root, TRASH, async (trash) => {
    const name = randomUUID();
    underWay.add(name);
    try {
      const found = await renamed(root, key, trash.at(name));
      await moved?.();
      return { found, left: found ? await deleteIn(trash, name, REMOVAL_MAX_MS, signal) : null };
    } finally {
      underWay.delete(name);
    }
  });

/** Whether there was something to rename. A link at `key` is itself renamed, and removed as the link it is. */
async function renamed(root: Held, key: string, to: string): Promise<boolean> {
  try {
    await rename(root.at(key), to);
    return true;
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return false;
    throw edgeError(`the workspace ${join(root.path, key)} cannot be removed`, cause);
  }
}

/**
 * Deletes the entry `name` of a directory, read-only directories included. Never rejects: answers what is wrong, null
 * when all is gone. A program of the system does it: it holds on to directories instead of names, so a link swapped in
 * while it works leads nowhere (Node's own `rm` goes by names), and no depth is too deep for it.
 */
export async function deleteIn(
  parent: Held,
  name: string,
  timeoutMs = REMOVAL_MAX_MS,
  signal?: AbortSignal,
): Promise<string | null> {
  // An empty directory, of a ticket that nothing was done for, is not worth a program.
  if (await isRemoved(parent, name)) return null;
  const args = [...removeFlags, "--", `./${name}`];
  const first = await run("rm", args, parent, timeoutMs, signal);
  if (first === null || signal?.aborted === true) return first;
  // Package caches make their directories read-only, which stops everybody but root.
  await unlock(join(parent.path, name), AbortSignal.timeout(Math.ceil(timeoutMs)));
  return run("rm", args, parent, timeoutMs, signal);
}

const isRemoved = (parent: Held, name: string): Promise<boolean> =>
  rmdir(parent.at(name)).then(
    () => true,
    () => false,
  );

/** Something mounted inside a workspace is not the workspace's. */
const removeFlags = process.platform === "darwin" ? ["-rfx"] : ["-rf", "--one-file-system"];

/** Deletes what could not be deleted before, by this process or an earlier one: a bounded part, the rest next time. @throws WorkspaceError */
export const deleteLeftovers = (root: Held, now: () => number): Promise<void> =>
  holdingOwn(root, TRASH, async (trash) => {
    const endBy = now() + LEFTOVERS_MAX_MS;
    const names = (await readdir(trash.here)).filter((name) => !underWay.has(name)).slice(0, LEFTOVERS_MAX);
    for (const name of names) {
      const leftMs = endBy - now();
      if (leftMs <= 0) return;
      await deleteIn(trash, name, leftMs);
    }
  });

/**
 * Runs a program of the system to its end; null when all went well, else what it said. Not by `runCommand`: these have
 * neither children nor hooks' ways, and a board with many short tickets spends its time on starting programs.
 */
function run(
  file: string,
  args: readonly string[],
  { here }: Held,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  const child = spawn(file, args, {
    cwd: here,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: Math.ceil(timeoutMs), // a whole number, and zero would be no limit
    killSignal: "SIGKILL",
    ...(signal !== undefined && { signal }),
  });
  const said = new Excerpt(SAID_MAX_BYTES);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  child.once("error", (error) => resolve(`${file}: ${error.message}`));
  // What could not be started, with no file descriptor left say, has no output.
  (child.stderr as Readable | undefined)?.on("data", (chunk: Buffer) => said.add(chunk));
  child.once("close", (code, signal) =>
    resolve(code === 0 ? null : whyOf(file, said.text(), signal ?? code)),
  );
  return promise;
}

const whyOf = (file: string, said: string, end: string | number | null): string =>
  `${file}: ${said === "" ? `ended with ${end}` : said.split("\n").slice(0, 3).join("; ")}`;
