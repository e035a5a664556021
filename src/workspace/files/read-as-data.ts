/**
 * Reading what an agent may have put there: never through a link at the end of the path, never from a pipe or a device
 * (opening one can wait for ever), never more than a named bound.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { edgeError, errorCode } from "./edge-error.ts";
import { holding } from "./held.ts";
import { WorkspaceError } from "../port.ts";

/** O_NONBLOCK: a pipe without a writer answers at once instead of waiting for one. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a regular file; null when there is none. @throws WorkspaceError for a link, a pipe, a device, a socket. */
export async function openRegular(path: string): Promise<Opened | null> {
  try {
    const file = await open(path, flags);
    const bytes = await sizeIfRegular(file).catch(async (cause: unknown) => {
      await file.close();
      throw cause;
    });
    if (bytes !== null) return { file, bytes };
    await file.close();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code !== "ELOOP" && code !== "ENXIO") throw edgeError(`${path} cannot be read`, cause);
  }
  throw new WorkspaceError("workspace_error", `${path} is not a regular file`, {
    hint: "Something else was put in its place: look at it, then remove it by hand.",
  });
}

/** The content of a regular file; null when there is none. @throws WorkspaceError also when it is longer than that. */
export async function readRegular(path: string, bytesMax: number): Promise<Buffer | null> {
  return contentOf(await openRegular(path), path, bytesMax);
}

/** The same for a file that really is at `path`: no directory on the way is a link. @throws WorkspaceError */
export async function readReal(path: string, bytesMax: number): Promise<Buffer | null> {
  return contentOf(await openReal(path), path, bytesMax);
}

async function sizeIfRegular(file: FileHandle): Promise<number | null> {
  const found = await file.stat();
  return found.isFile() ? found.size : null;
}

type Opened = { readonly file: FileHandle; readonly bytes: number };
export type Inside = Opened & { readonly executable: boolean };

async function contentOf(opened: Opened | null, path: string, bytesMax: number): Promise<Buffer | null> {
  if (opened === null) return null;
  try {
    if (opened.bytes > bytesMax) throw tooLong(path, bytesMax);
    // Not more than that, should it have grown since.
    const { buffer, bytesRead } = await opened.file.read(Buffer.alloc(opened.bytes), 0, opened.bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await opened.file.close();
  }
}

const tooLong = (path: string, bytesMax: number): WorkspaceError =>
  new WorkspaceError("workspace_error", `${path} is longer than ${bytesMax} bytes`, {
    hint: "Look at what is there: nothing makes it that long.",
  });

/**
 * Opens the regular file that really is at `path`. What was opened is asked where it is, not the path: links may be
 * swapped in and out all the time. Null when there is none. @throws WorkspaceError when it is elsewhere.
 */
export async function openReal(path: string): Promise<Opened | null> {
  const opened = await openRegular(path);
  if (opened === null || (await isAt(opened.file, path))) return opened;
  await opened.file.close();
  throw new WorkspaceError("workspace_error", `${path} is not where it seems to be: a link is in its way`, {
    hint: "Look at the link, then remove it by hand.",
  });
}

/** Opens the regular file at `<root>/<path>` if it really is there; `root` is a real path. Null otherwise. */
export async function openInside(root: string, path: string): Promise<Inside | null> {
  const opened = await openReal(`${root}/${path}`).catch(() => null);
  if (opened === null) return null;
  const { mode } = await opened.file.stat();
  return { ...opened, executable: (mode & 0o100) !== 0 };
}

/** Where the link at `<root>/<path>` points, if it really is there; `root` is a real path. Null otherwise. */
export async function linkInside(root: string, path: string): Promise<string | null> {
  const whole = `${root}/${path}`;
  return holding(dirname(whole), (parent) => readlink(parent.at(basename(whole)))).catch(() => null);
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
