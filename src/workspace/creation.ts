/**
 * A mark for as long as a workspace is being made, so that a crash before `after_create` has ended does not leave a
 * half-made directory that is later taken for a ready one. It lies outside of the directory, which belongs to the
 * hook (`git clone URL .` wants it empty). Making it elsewhere and renaming it is no way: worktrees record their path.
 */
import { lstat, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { edgeError, errorCode } from "./files/edge-error.ts";
import type { Held } from "./files/held.ts";
import { holdingOwn } from "./files/safe-path.ts";

const marks = ".baton";

/** @throws WorkspaceError */
export const markUnfinished = (root: Held, key: string): Promise<void> =>
  withMark(root, key, "written", async (mark) => {
    await rm(mark, { force: true });
    // Exclusive, so that a link put there is never written through; on disk before the directory is.
    await writeFile(mark, "", { flag: "wx", flush: true });
  });

/** @throws WorkspaceError */
export const markFinished = (root: Held, key: string): Promise<void> =>
  withMark(root, key, "removed", (mark) => rm(mark, { force: true }));

/** Whether the directory of this key was being made when the daemon died. @throws WorkspaceError */
export const isUnfinished = (root: Held, key: string): Promise<boolean> =>
  withMark(root, key, "read", async (mark) => {
    try {
      await lstat(mark);
      return true;
    } catch (cause) {
      if (errorCode(cause) === "ENOENT") return false;
      throw cause;
    }
  });

function withMark<T>(root: Held, key: string, done: string, use: (mark: string) => Promise<T>): Promise<T> {
  const name = `${key}.creating`;
  return holdingOwn(root, marks, (own) =>
    use(own.at(name)).catch((cause: unknown) => {
      throw edgeError(`${join(root.path, marks, name)} cannot be ${done}`, cause);
    }),
  );
}
