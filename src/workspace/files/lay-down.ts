/** Puts saved files into a directory that already holds others. Never writes through a link, and never outside of it. */
import { constants, copyFile, lstat, mkdir, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

/** Whether a path leads into git's own files: what lies there tells git what to run. */
export const isGits = (path: string): boolean =>
  path.split("/").some((part) => part.toLowerCase() === ".git");

/** Copies `<from>/<path>` to `<to>/<path>`, in place of whatever is there. Links are copied as links. */
export async function layDown(from: string, to: string, path: string): Promise<void> {
  const source = join(from, path);
  const found = await lstat(source);
  await makeWay(to, path);
  if (found.isSymbolicLink()) await symlink(await readlink(source), join(to, path));
  else await copyFile(source, join(to, path), constants.COPYFILE_EXCL);
}

/** Removes what is at the path, and makes all above it directories: a link or a file in the way goes. */
export async function makeWay(to: string, path: string): Promise<void> {
  const parts = path.split("/");
  await makeDirectories(to, parts.slice(0, -1).join("/"));
  await rm(join(to, path), { recursive: true, force: true });
}

/** Makes `path` under `to` a directory, step by step: links and files on the way are replaced. */
export async function makeDirectories(to: string, path: string): Promise<void> {
  let at = to;
  for (const part of path.split("/").filter((name) => name !== "")) {
    at = join(at, part);
    const found = await lstat(at).catch(() => null);
    if (found?.isDirectory() === true) continue;
    if (found !== null) await rm(at);
    await mkdir(at);
  }
}
