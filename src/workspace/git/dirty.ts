/** Which files of a checkout differ from its commit: git's own judgement, asked by way of a shadow. */
import type { Shadow } from "./shadow.ts";
import { WorkspaceError } from "../port.ts";

export interface Dirty {
  /** Changed, deleted or new since HEAD, without ignored ones. Paths from the checkout, in order. */
  readonly files: readonly string[];
  /** Directories that are repositories of their own: submodules, and clones somebody made in here. */
  readonly repositories: readonly string[];
}

/** A whole new checkout of a very large project. Who has more has forgotten a `.gitignore`. */
const FILES_MAX = 200_000;

/** @throws WorkspaceError when git cannot tell, or there are more than a named bound. */
export async function dirtyFiles(shadow: Shadow, signal: AbortSignal): Promise<Dirty> {
  const files = new Set<string>();
  const repositories = new Set<string>();
  const add = (path: string): void => {
    if (path.endsWith("/")) repositories.add(path.slice(0, -1));
    else files.add(path);
    if (files.size > FILES_MAX) throw tooMany();
  };
  const tracked = shadow.hasIndex ? await trackedPaths(shadow, signal) : { all: [], submodules: [] };
  // Not `git status`: that goes to the checkout by its path once more, where a link may be by then.
  const changed = ["ls-files", "-z", "--others", "--modified", "--exclude-standard"];
  await shadow.each({ args: changed, signal, separator: "\0", inWorktree: true }, add);
  if (shadow.hasHead && shadow.hasIndex) {
    const staged = ["diff-index", "-z", "--cached", "--name-only", "--no-renames", "--ignore-submodules=all"];
    await shadow.each({ args: [...staged, "HEAD"], signal, separator: "\0", inWorktree: true }, add);
  } else for (const path of tracked.all) add(path);
  for (const path of tracked.submodules) {
    files.delete(path);
    repositories.add(path);
  }
  return { files: [...files].sort(), repositories: [...repositories].sort() };
}

const tooMany = (): WorkspaceError =>
  new WorkspaceError("workspace_error", `more than ${FILES_MAX} files have changed`, {
    hint: "Name what is generated in a .gitignore.",
  });

const submoduleMode = "160000 ";

interface Tracked {
  /** Files only. */
  readonly all: readonly string[];
  readonly submodules: readonly string[];
}

/** @throws WorkspaceError for an index that no git has written: one that names files outside of the checkout. */
async function trackedPaths(shadow: Shadow, signal: AbortSignal): Promise<Tracked> {
  const all: string[] = [];
  const submodules: string[] = [];
  const args = ["ls-files", "--stage", "-z"];
  await shadow.each({ args, signal, separator: "\0", inWorktree: true }, (record) => {
    const path = record.slice(record.indexOf("\t") + 1);
    if (path.startsWith("/") || path.split("/").includes(".."))
      throw new WorkspaceError(
        "workspace_error",
        `the index names ${path}, which is outside of the checkout`,
        {
          hint: "Remove the index (.git/index) and run `git reset`.",
        },
      );
    if (record.startsWith(submoduleMode)) submodules.push(path);
    else if (!shadow.hasHead) all.push(path);
  });
  return { all, submodules };
}
