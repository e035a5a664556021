/**
 * Reading what an agent may have put there: never through a link at the end of the path, never from a pipe or a device
 * (opening one can wait for ever), never more than a named bound.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { edgeError, errorCode } from "./safe-path.ts";
import { WorkspaceError } from "./workspace.ts";

/** O_NONBLOCK: a pipe without a writer answers at once instead of waiting for one. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a regular file; null when there is none. @throws WorkspaceError for a link, a pipe, a device, a socket. */
export async function openRegular(path: string): Promise<{ file: FileHandle; bytes: number } | null> {
  try {
    const file = await open(path, flags);
    const found = await file.stat();
    if (found.isFile()) return { file, bytes: found.size };
    await file.close();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code !== "ELOOP" && code !== "ENXIO") throw edgeError(`${path} cannot be read`, cause);
  }
  throw new WorkspaceError("workspace_error", `${path} is not a regular file`);
}

/** The content of a regular file; null when there is none. @throws WorkspaceError also when it is longer than that. */
export async function readRegular(path: string, bytesMax: number): Promise<Buffer | null> {
  const opened = await openRegular(path);
  if (opened === null) return null;
  try {
    if (opened.bytes > bytesMax) throw tooLong(path, bytesMax);
    const content = await opened.file.readFile();
    // It may have grown since.
    if (content.length > bytesMax) throw tooLong(path, bytesMax);
    return content;
  } finally {
    await opened.file.close();
  }
}

const tooLong = (path: string, bytesMax: number): WorkspaceError =>
  new WorkspaceError("workspace_error", `${path} is longer than ${bytesMax} bytes`);

/**
 * Opens the regular file at `<root>/<path>` if it really is there: no directory on the way is a link that leads
 * elsewhere. `root` is a real path. Null when there is no such file. What was opened is asked where it is, not the path:
 * links may be swapped in and out all the time.
 */
export async function openInside(
  root: string,
  path: string,
): Promise<{ file: FileHandle; bytes: number; executable: boolean } | null> {
  const whole = `${root}/${path}`;
  const opened = await openRegular(whole).catch(() => null);
  if (opened === null) return null;
  if (await isAt(opened.file, whole)) {
    const { mode } = await opened.file.stat();
    return { ...opened, executable: (mode & 0o100) !== 0 };
  }
  await opened.file.close();
  return null;
}

async function isAt(file: FileHandle, path: string): Promise<boolean> {
  try {
    if (process.platform === "linux") return (await readlink(`/proc/self/fd/${file.fd}`)) === path;
    // Elsewhere nobody knows the path of an open file: good against a link that stays, not against a quick swap.
    const [held, there] = await Promise.all([file.stat({ bigint: true }), lstat(path, { bigint: true })]);
    return held.dev === there.dev && held.ino === there.ino && (await realpath(path)) === path;
  } catch {
    // It was moved away meanwhile, as good as missing.
    return false;
  }
}
