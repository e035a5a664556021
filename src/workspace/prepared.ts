/** Which directories are the ones that were prepared, by what the file system knows of them: names can be swapped. */
import { join, resolve } from "node:path";
import { type Entry, type Held, holding, type Identity, inspect, sameIdentity } from "./files/files.ts";
import { WorkspaceError } from "./port.ts";

export class Prepared {
  /** By path, the directory as it was when it was last known to be right. */
  readonly #known = new Map<string, Identity>();
  /** By the root as the workflow spells it. */
  readonly #roots = new Map<string, Root>();

  /**
   * What is done in the root is done in the one that was first met: where its path leads must not change. `find` answers
   * the root's real path, or null when there is none; then the answer is null as well. @throws WorkspaceError
   */
  async inRoot<T>(
    root: string,
    find: (root: string) => Promise<string | null>,
    use: (root: Held) => Promise<T>,
  ): Promise<T | null> {
    const known = this.#roots.get(root);
    // The very directory that was examined before, by a path without links: there is nothing more to find out.
    if (known !== undefined && known.path === resolve(root)) {
      let same = false;
      const look = (held: Held): Promise<T> => {
        same = sameIdentity(held.identity, known.identity);
        return same ? use(held) : Promise.reject(new Error("another directory"));
      };
      try {
        return await holding(known.path, look);
      } catch (cause) {
        if (same) throw cause;
      }
    }
    const real = await find(root);
    if (real === null) return null;
    const first = known?.path ?? real;
    if (real !== first) throw moved(root, first, real);
    return holding(real, (held) => {
      this.#roots.set(root, { path: real, identity: held.identity });
      return use(held);
    });
  }

  /** Takes what was found at the path for the workspace. */
  know(root: Held, key: string, { identity }: Extract<Entry, { type: "directory" }>): void {
    this.#known.set(join(root.path, key), identity);
  }

  /** Takes what is at the path now for the workspace. @throws WorkspaceError when it is no directory in its place. */
  async learn(root: Held, key: string): Promise<void> {
    const entry = await inspect(root, key);
    const path = join(root.path, key);
    if (entry.type === "missing")
      throw unfit(`the workspace ${path} is no longer there: a hook has removed it`);
    this.know(root, key, entry);
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

interface Root {
  readonly path: string;
  readonly identity: Identity;
}

const moved = (root: string, first: string, real: string): WorkspaceError =>
  new WorkspaceError("root_unusable", `the workspace root ${root} was ${first}, and is ${real} now`, {
    hint: "If you moved it yourself, restart Baton. If not, look at who put a link there.",
  });

export const unfit = (message: string, cause?: unknown): WorkspaceError =>
  new WorkspaceError("invalid_workspace_cwd", message, {
    hint: "Look at what is there. If nobody needs it, remove it: the next run makes a new workspace.",
    cause,
  });
