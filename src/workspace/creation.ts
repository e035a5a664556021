/**
 * A mark for as long as a workspace is being made, so that a crash before `after_create` has ended does not leave a
 * half-made directory that is later taken for a ready one. It lies outside of the directory, which belongs to the
 * hook (`git clone URL .` wants it empty). Making it elsewhere and renaming it is no way: worktrees record their path.
 */
import { lstat, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { edgeError, errorCode, ownDirectory } from "./safe-path.ts";

const markOf = async (root: string, key: string): Promise<string> =>
  join(await ownDirectory(root, ".baton"), `${key}.creating`);

/** @throws WorkspaceError */
export async function markUnfinished(root: string, key: string): Promise<void> {
  const mark = await markOf(root, key);
  try {
    await rm(mark, { force: true });
    // Exclusive, so that a link put there is never written through; on disk before the directory is.
    await writeFile(mark, "", { flag: "wx", flush: true });
  } catch (cause) {
    throw edgeError(`${mark} cannot be written`, cause);
  }
}

/** @throws WorkspaceError */
export async function markFinished(root: string, key: string): Promise<void> {
  const mark = await markOf(root, key);
  try {
    await rm(mark, { force: true });
  } catch (cause) {
    throw edgeError(`${mark} cannot be removed`, cause);
  }
}

/** Whether the directory of this key was being made when the daemon died. @throws WorkspaceError */
export async function isUnfinished(root: string, key: string): Promise<boolean> {
  const mark = await markOf(root, key);
  try {
    await lstat(mark);
    return true;
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return false;
    throw edgeError(`${mark} cannot be read`, cause);
  }
}
