/**
 * A mark for as long as a workspace is being made, so that a crash before `after_create` has ended does not leave a
 * half-made directory that is later taken for a ready one. It lies outside of the directory, which belongs to the
 * hook (`git clone URL .` wants it empty). Making it elsewhere and renaming it is no way: worktrees record their path.
 */
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { edgeError, type Held, holdingOwn, rootError } from "./files/files.ts";

const marks = ".baton";
const ending = ".creating";

/** The marks under the roots of one daemon: read when a root is first used, from then on known without looking. */
export class Creations {
  /** Keys with a mark, by the root: what is mounted later at the same path has marks of its own. */
  readonly #marked = new Map<string, Set<string>>();

  /** @throws WorkspaceError */
  async markUnfinished(root: Held, key: string): Promise<void> {
    const marked = await this.#in(root);
    await withMark(root, key, "written", async (mark) => {
      await rm(mark, { force: true });
      // Exclusive, so that a link put there is never written through; on disk before the directory is.
      await writeFile(mark, "", { flag: "wx", flush: true });
    });
    marked.add(key);
  }

  /** Nothing to do for one that has no mark. @throws WorkspaceError */
  async markFinished(root: Held, key: string): Promise<void> {
    const marked = await this.#in(root);
    if (!marked.has(key)) return;
    await withMark(root, key, "removed", (mark) => rm(mark, { force: true }));
    marked.delete(key);
  }

  /** Whether the directory of this key was being made when a daemon died, or could not be removed. @throws WorkspaceError */
  async isUnfinished(root: Held, key: string): Promise<boolean> {
    return (await this.#in(root)).has(key);
  }

  async #in(root: Held): Promise<Set<string>> {
    const { dev, ino } = root.identity;
    const name = `${root.path}\0${dev}:${ino}`;
    const known = this.#marked.get(name);
    if (known !== undefined) return known;
    const names = await holdingOwn(root, marks, ({ here }) => readdir(here)).catch((cause: unknown) => {
      throw edgeError(`${join(root.path, marks)} cannot be read`, cause);
    });
    const keys = names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
    // Who else was reading them at the same time may have added one since.
    const marked = this.#marked.get(name) ?? new Set(keys);
    this.#marked.set(name, marked);
    return marked;
  }
}

function withMark<T>(root: Held, key: string, done: string, use: (mark: string) => Promise<T>): Promise<T> {
  const name = `${key}${ending}`;
  return holdingOwn(root, marks, (own) =>
    use(own.at(name)).catch((cause: unknown) => {
      throw rootError(`${join(root.path, marks, name)} cannot be ${done}`, cause);
    }),
  );
}
