/** The files of a directory tree, in order, as far as a bound goes. Links are files here: never followed. */
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { edgeError, errorCode } from "./safe-path.ts";

export interface Walked {
  /** Everything that is no directory. Paths from `root`. */
  readonly files: readonly string[];
  /** Directories with a `.git` in them, not gone into. */
  readonly repositories: readonly string[];
  readonly cut: boolean;
}

/** An unpacked tree of dependencies; more is a generated one, of which the sizes tell enough. */
const entriesMax = 200_000;

/** @throws WorkspaceError when a directory cannot be read, or the signal says stop. */
export async function walkFiles(root: string, signal: AbortSignal): Promise<Walked> {
  const files: string[] = [];
  const repositories: string[] = [];
  let left = entriesMax;
  const queue = [""];
  try {
    for (let at = queue.shift(); at !== undefined && left > 0; at = queue.shift()) {
      signal.throwIfAborted();
      const entries = await entriesOf(join(root, at), left);
      left -= entries.length;
      if (at !== "" && entries.some(({ name }) => name === ".git")) {
        repositories.push(at);
        continue;
      }
      for (const entry of entries) {
        const path = at === "" ? entry.name : `${at}/${entry.name}`;
        (entry.isDirectory() ? queue : files).push(path);
      }
    }
  } catch (cause) {
    throw edgeError(`${root} cannot be read`, cause);
  }
  return { files: files.sort(), repositories: repositories.sort(), cut: left <= 0 };
}

async function entriesOf(directory: string, max: number): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  const opened = await opendir(directory).catch((cause: unknown) => {
    // A submodule that was never checked out, or a directory that is being removed meanwhile.
    if (errorCode(cause) === "ENOENT") return [];
    throw cause;
  });
  for await (const entry of opened) {
    entries.push(entry);
    if (entries.length >= max) break;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
