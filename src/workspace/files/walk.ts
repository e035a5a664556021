/** The files of a directory tree, in order, as far as a bound goes. Links are files here: never followed. */
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { edgeError, errorCode } from "./edge-error.ts";
import { openDirectory } from "./held.ts";

export interface Walked {
  /** Everything that is no directory. Paths from `root`. */
  readonly files: readonly string[];
  /** Directories with a `.git` in them, not gone into. */
  readonly repositories: readonly string[];
  readonly cut: boolean;
}

/** An unpacked tree of dependencies; more is a generated one, of which the sizes tell enough. */
const ENTRIES_MAX = 200_000;

/** @throws WorkspaceError when a directory cannot be read, or the signal says stop. */
export async function walkFiles(root: string, signal: AbortSignal): Promise<Walked> {
  const files: string[] = [];
  const repositories: string[] = [];
  let left = ENTRIES_MAX;
  const queue = [""];
  try {
    for (const at of queue) {
      if (left <= 0) break;
      signal.throwIfAborted();
      const entries = await entriesOf(join(root, at), left);
      if (entries === null) {
        // A link has taken its place, or it is gone: who looks at it next will tell.
        if (at !== "") files.push(at);
        continue;
      }
      left -= entries.length;
      if (at !== "" && entries.some(({ name }) => name === ".git")) {
        repositories.push(at);
        continue;
      }
      for (const entry of entries) {
        const path = at === "" ? entry.name : `${at}/${entry.name}`;
        (entry.isDirectory() && !isUnnameable(entry.name) ? queue : files).push(path);
      }
    }
  } catch (cause) {
    throw edgeError(`${root} cannot be read`, cause);
  }
  return { files: files.sort(), repositories: repositories.sort(), cut: left <= 0 };
}

/** Its name is no UTF-8, so nothing in it can be opened: it is named as a whole. */
const isUnnameable = (name: string): boolean => name.includes("\uFFFD");

/** Null when there is no such directory (any more). */
async function entriesOf(directory: string, max: number): Promise<readonly Dirent[] | null> {
  const entries: Dirent[] = [];
  const opened = await openDirectory(directory).catch((cause: unknown) => {
    // A submodule that was never checked out, or a directory that is being removed or swapped meanwhile.
    const code = cause instanceof Error ? errorCode(cause.cause) : null;
    if (code === null || code === "ENOENT" || code === "ENOTDIR") return null;
    throw cause;
  });
  if (opened === null) return null;
  for await (const entry of opened) {
    entries.push(entry);
    if (entries.length >= max) break;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
