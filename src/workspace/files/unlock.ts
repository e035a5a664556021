/** Makes the directories of a tree writable again for their owner, so that what is in them can be removed. */
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { holding, openDirectory } from "./held.ts";

/** More read-only directories than any package cache has; the rest stays and is told as not deleted. */
const DIRECTORIES_MAX = 200_000;

const OWNER_MODE = 0o700;

/** `root` is a real path. Goes by directories it holds, never through a link. Never rejects: what cannot be, stays. */
export async function unlock(root: string, signal: AbortSignal): Promise<void> {
  const queue = [root];
  for (const at of queue) {
    if (signal.aborted) return;
    await holding(at, ({ here }) => chmod(here, OWNER_MODE)).catch(() => {});
    const directory = await openDirectory(at).catch(() => null);
    if (directory === null) continue;
    for await (const entry of directory)
      if (entry.isDirectory() && queue.length < DIRECTORIES_MAX) queue.push(join(at, entry.name));
  }
}
