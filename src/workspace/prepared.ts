/** Which directories are the ones that were prepared, by what the file system knows of them: names can be swapped. */
import { join } from "node:path";
import { type Held, holding, type Identity, sameIdentity } from "./files/held.ts";
import { inspect } from "./files/safe-path.ts";
import { WorkspaceError } from "./port.ts";

export class Prepared {
  /** By path, the directory as it was when it was last known to be right. */
  readonly #known = new Map<string, Identity>();
  /** By the root as the workflow spells it, its real path when it was first used. */
  readonly #roots = new Map<string, string>();

  /** What is done in the root is done in the one that was first met: where its path leads must not change. */
  async inRoot<T>(root: string, real: string, use: (root: Held) => Promise<T>): Promise<T> {
    const first = this.#roots.get(root) ?? real;
    this.#roots.set(root, first);
    if (real === first) return holding(real, use);
    throw new WorkspaceError(
      "workspace_error",
      `the workspace root ${root} was ${first}, and is ${real} now`,
      {
        hint: "If you moved it yourself, restart Baton. If not, look at who put a link there.",
      },
    );
  }

  /** Takes what is at the path now for the workspace. @throws WorkspaceError when it is no directory in its place. */
  async learn(root: Held, key: string): Promise<void> {
    const entry = await inspect(root, key);
    const path = join(root.path, key);
    if (entry.type === "missing")
      throw unfit(`the workspace ${path} is no longer there: a hook has removed it`);
    this.#known.set(path, entry.identity);
  }

  forget(root: Held, key: string): void {
    this.#known.delete(join(root.path, key));
  }

  /** @throws WorkspaceError when something else than the known directory is there. */
  async isThere(root: Held, key: string): Promise<boolean> {
    const entry = await inspect(root, key);
    if (entry.type === "missing") return false;
    this.refuseSwapped(root, key, entry.identity);
    return true;
  }

  /** @throws WorkspaceError when `now` is not the known directory. */
  refuseSwapped(root: Held, key: string, now: Identity): void {
    const path = join(root.path, key);
    const known = this.#known.get(path);
    if (known === undefined || sameIdentity(known, now)) return;
    throw unfit(`the workspace ${path} is not the directory that was prepared: it has been swapped`);
  }
}

export const unfit = (message: string, cause?: unknown): WorkspaceError =>
  new WorkspaceError("invalid_workspace_cwd", message, {
    hint: "Look at what is there. If nobody needs it, remove it: the next run makes a new workspace.",
    cause,
  });
