/**
 * Which directories git writes when somebody commits in a workspace. Codex's sandbox makes `.git` read-only; the agent
 * can commit when these are writable roots.
 *
 * Whoever names a root opens it to the agent, and the agent wrote parts of the workspace: `.git` may be a file that
 * points anywhere. So nothing is believed that the other side does not confirm, and no link is followed. Looked at once
 * per run, before its agent exists.
 */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** A pointer file is one short line. */
const POINTER_CHARS_MAX = 4096;

/** Absolute paths; none when the workspace is no git checkout of its own, or not one to be trusted. */
export function gitRoots(workspace: string): readonly string[] {
  const git = join(workspace, ".git");
  if (isRealDirectory(git)) return [git];
  return worktreeRoots(workspace, git);
}

/** The parts of the main repository that a linked worktree writes: its own directory, objects, refs and their logs. */
function worktreeRoots(workspace: string, pointer: string): readonly string[] {
  const named = pointerIn(pointer)?.replace(/^gitdir:\s*/, "");
  if (named === undefined || named === "") return [];
  const own = isAbsolute(named) ? resolve(named) : resolve(workspace, named);
  const main = dirname(dirname(own));
  if (dirname(own) !== join(main, "worktrees") || !isRealDirectory(own)) return [];
  // Git's own record of where this worktree is: a forged pointer finds none that names this workspace.
  if (pointerIn(join(own, "gitdir")) !== pointer) return [];
  return [own, ...["objects", "refs", "logs"].map((part) => join(main, part)).filter(isRealDirectory)];
}

function pointerIn(path: string): string | undefined {
  try {
    if (!lstatSync(path).isFile()) return undefined;
    const text = readFileSync(path, "utf8");
    return text.length > POINTER_CHARS_MAX ? undefined : text.trim();
  } catch {
    return undefined; // no such file: no worktree
  }
}

/** A directory by its real path: no part of the way there is a link. */
function isRealDirectory(path: string): boolean {
  try {
    return lstatSync(path).isDirectory() && realpathSync(path) === path;
  } catch {
    return false;
  }
}
