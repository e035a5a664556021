/**
 * Where the repository of a directory is and what its HEAD says, read as plain files: an agent can write here, and git
 * itself would obey the configuration it finds.
 */
import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { readRegular } from "./read-as-data.ts";

export interface GitDir {
  /** The checkout, a real path. */
  readonly worktree: string;
  /** HEAD and index are here; for a linked worktree, not in its own directory. */
  readonly gitDir: string;
  /** Objects and refs are here: the same, but for a linked worktree. */
  readonly commonDir: string;
  /** Whether the objects and refs go when the workspace goes. */
  readonly inside: boolean;
}

/** A path and a word; git writes no more into these files. */
const pointerBytesMax = 8 * 1_024;

/**
 * The repository whose checkout is `directory`, in the workspace `workspace` (both real paths). Null when there is none,
 * or what is there is not one. @throws WorkspaceError when it cannot be read.
 */
export async function gitDirOf(directory: string, workspace: string): Promise<GitDir | null> {
  const gitDir = await realDirectory(await pointedAt(directory));
  if (gitDir === null || (await readPointer(join(gitDir, "HEAD"))) === null) return null;
  const common = await readPointer(join(gitDir, "commondir"));
  const commonDir = common === null ? gitDir : await realDirectory(resolve(gitDir, common));
  if (commonDir === null || (await realDirectory(join(commonDir, "objects"))) === null) return null;
  return { worktree: directory, gitDir, commonDir, inside: isWithin(workspace, commonDir) };
}

/** What `.git` says: itself, or the directory that a linked worktree or a submodule names in it. */
async function pointedAt(directory: string): Promise<string | null> {
  const dotGit = join(directory, ".git");
  const found = await lstat(dotGit).catch(() => null);
  if (found === null) return null;
  if (!found.isFile()) return dotGit;
  const named = /^gitdir: (.+)$/.exec((await readPointer(dotGit)) ?? "")?.[1];
  return named === undefined ? null : resolve(directory, named);
}

const readPointer = async (path: string): Promise<string | null> =>
  (await readRegular(path, pointerBytesMax))?.toString("utf8").trimEnd() ?? null;

async function realDirectory(path: string | null): Promise<string | null> {
  if (path === null) return null;
  try {
    const real = await realpath(path);
    return (await lstat(real)).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

/** Whether `path` is `directory` or below it; by their names, so both must be real. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
