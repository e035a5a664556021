/** Which files of a checkout differ from its commit: git's own judgement, asked by way of a shadow. */
import type { Shadow } from "./shadow.ts";
import { WorkspaceError } from "./workspace.ts";

export interface Dirty {
  /** Changed, deleted or new since HEAD, without ignored ones. Paths from the checkout, in order. */
  readonly files: readonly string[];
  /** Directories that are repositories of their own: submodules, and clones somebody made in here. */
  readonly repositories: readonly string[];
}

/** A whole new checkout of a very large project. Who has more has forgotten a `.gitignore`. */
const filesMax = 200_000;

/** @throws WorkspaceError when git cannot tell, or there are more than a named bound. */
export async function dirtyFiles(shadow: Shadow, signal: AbortSignal): Promise<Dirty> {
  const files: string[] = [];
  const repositories: string[] = [];
  const args = [
    "status",
    "--porcelain=v1",
    "--no-renames",
    "--untracked-files=all",
    // Else git would start itself in each submodule, with the configuration that lies there.
    "--ignore-submodules=all",
    "-z",
  ];
  await shadow.each({ args, signal, separator: "\0", inWorktree: true }, (record) => {
    const path = record.slice("XY ".length);
    if (path.endsWith("/")) repositories.push(path.slice(0, -1));
    else if (files.length < filesMax) files.push(path);
    else throw new WorkspaceError("workspace_error", `more than ${filesMax} files have changed`);
  });
  if (shadow.hasIndex) repositories.push(...(await submodules(shadow, signal)));
  return { files: files.sort(), repositories: [...new Set(repositories)].sort() };
}

const submoduleMode = "160000 ";

async function submodules(shadow: Shadow, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  const args = ["ls-files", "--stage", "-z"];
  await shadow.each({ args, signal, separator: "\0", inWorktree: true }, (record) => {
    if (record.startsWith(submoduleMode)) found.push(record.slice(record.indexOf("\t") + 1));
  });
  return found;
}
