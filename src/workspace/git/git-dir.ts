/**
 * Where the repository of a directory is and what its HEAD says, read as plain files: an agent can write here, and git
 * itself would obey the configuration it finds.
 *
 * What is outside of the workspace counts only when it says itself that it belongs to it, as the repository of a linked
 * worktree does: what a workspace says of others could be anybody's repository.
 */
import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { readReal } from "../files/files.ts";

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
const POINTER_BYTES_MAX = 8 * 1_024;

/**
 * The repository whose checkout is `directory`, in the workspace `workspace` (both real paths). Null when there is none,
 * what is there is not one, or it is a stranger's. `known`: repositories around it that are the workspace's. @throws
 * WorkspaceError when it cannot be read.
 */
export async function gitDirOf(
  directory: string,
  workspace: string,
  known: readonly GitDir[] = [],
): Promise<GitDir | null> {
  const gitDir = await pointedAt(directory);
  if (gitDir === null || (await isStrange(gitDir, directory, workspace, known))) return null;
  if ((await readPointer(join(gitDir, "HEAD"))) === null) return null;
  const common = await readPointer(join(gitDir, "commondir"));
  const commonDir = common === null ? gitDir : await realDirectory(resolve(gitDir, common));
  if (commonDir === null || !isWithin(commonDir, gitDir)) return null;
  const objects = join(commonDir, "objects");
  if ((await realDirectory(objects)) !== objects) return null;
  return { worktree: directory, gitDir, commonDir, inside: isWithin(workspace, commonDir) };
}

/** Whether the `.git` of `directory` leads to a repository that is neither in the workspace nor knows of it. */
export async function pointsToStranger(
  directory: string,
  workspace: string,
  known: readonly GitDir[],
): Promise<boolean> {
  const gitDir = await pointedAt(directory);
  return gitDir !== null && isStrange(gitDir, directory, workspace, known);
}

async function isStrange(
  gitDir: string,
  directory: string,
  workspace: string,
  known: readonly GitDir[],
): Promise<boolean> {
  if (isWithin(workspace, gitDir)) return false;
  // Submodules of a linked worktree are kept by its repository.
  if (known.some((one) => !one.inside && isWithin(join(one.gitDir, "modules"), gitDir))) return false;
  const back = await readPointer(join(gitDir, "gitdir")).catch(() => null);
  if (back === null) return true;
  const checkout = await realDirectory(dirname(resolve(gitDir, back)));
  return checkout !== directory;
}

/** The real directory that `.git` is, or that a linked worktree or a submodule names in it. */
async function pointedAt(directory: string): Promise<string | null> {
  const dotGit = join(directory, ".git");
  const found = await lstat(dotGit).catch(() => null);
  if (found === null) return null;
  if (!found.isFile()) return realDirectory(dotGit);
  const named = /^gitdir: (.+)$/.exec((await readPointer(dotGit)) ?? "")?.[1];
  return named === undefined ? null : realDirectory(resolve(directory, named));
}

const readPointer = async (path: string): Promise<string | null> =>
  (await readReal(path, POINTER_BYTES_MAX))?.toString("utf8").trimEnd() ?? null;

async function realDirectory(path: string): Promise<string | null> {
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
