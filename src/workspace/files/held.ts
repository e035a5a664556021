/**
 * Directories held open. A path is looked up anew at every use, and an agent may have put a link in its way by then; a
 * directory that is held stays the one it was when it was looked at. Linux names what is in it by way of the open
 * directory (/proc/self/fd). Elsewhere there is no such name: the path has to do, which is good against a link that
 * stays, not against a quick swap.
 */
import { constants, type Dir } from "node:fs";
import { type FileHandle, open, opendir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { edgeError, errorCode } from "./edge-error.ts";
import { WorkspaceError } from "../port.ts";

/** A directory as the file system knows it, whatever its name: tells a swapped directory from the one prepared. */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export const sameIdentity = (a: Identity, b: Identity): boolean => a.dev === b.dev && a.ino === b.ino;

export interface Held {
  /** Real path it had when it was taken: for people. */
  readonly path: string;
  readonly identity: Identity;
  /** The directory itself, for this process and for the working directory of a child. */
  readonly here: string;
  /** The same for other processes, as long as it is held. */
  readonly abroad: string;
  /** The entry of this name in it. */
  at(name: string): string;
}

const isLinux = process.platform === "linux";

/** Opens a directory without a right to read it, and without touching it. Node has no name for it. */
const O_PATH = 0o10000000;
const flags = constants.O_DIRECTORY | constants.O_NOFOLLOW | (isLinux ? O_PATH : constants.O_RDONLY);

/**
 * Holds the directory that really is at `path`, for as long as `use` takes.
 * @throws WorkspaceError when there is none, or a link is at its end or on the way.
 */
export const holding = <T>(path: string, use: (held: Held) => Promise<T>): Promise<T> =>
  taken(path, path, true, use);

/** Holds the directory of this name in another one. @throws WorkspaceError when there is none, or a link. */
export const holdingIn = <T>(parent: Held, name: string, use: (held: Held) => Promise<T>): Promise<T> =>
  taken(parent.at(name), join(parent.path, name), false, use);

/**
 * The entries of the directory that really is at `path`; the caller closes it.
 * @throws WorkspaceError as `holding`, with the system's error as cause.
 */
export const openDirectory = (path: string): Promise<Dir> => holding(path, ({ here }) => opendir(here));

/** `name` is opened; `path` is what people are told, and with `mustBeAt` where it has to be. */
async function taken<T>(
  name: string,
  path: string,
  mustBeAt: boolean,
  use: (held: Held) => Promise<T>,
): Promise<T> {
  const file = await open(name, flags).catch((cause: unknown) => {
    throw notHeld(path, cause);
  });
  try {
    // In a directory that is held, no link can have been on the way: the entry is where it seems to be.
    const real = mustBeAt ? await realPathOf(file, name) : path;
    if (real !== path) throw elsewhere(path, real);
    return await use(await described(file, name, path));
  } finally {
    await file.close();
  }
}

const realPathOf = (file: FileHandle, name: string): Promise<string> =>
  isLinux ? readlink(`/proc/self/fd/${file.fd}`) : realpath(name);

async function described(file: FileHandle, name: string, path: string): Promise<Held> {
  const here = isLinux ? `/proc/self/fd/${file.fd}` : name;
  const { dev, ino } = await file.stat({ bigint: true });
  const abroad = isLinux ? `/proc/${process.pid}/fd/${file.fd}` : name;
  return { path, identity: { dev, ino }, here, abroad, at: (entry) => join(here, entry) };
}

const elsewhere = (path: string, really: string): WorkspaceError =>
  new WorkspaceError("workspace_error", `the directory ${path} is really ${really}`, {
    hint: "A link was put in its way: look at it, then remove it by hand.",
  });

function notHeld(path: string, cause: unknown): WorkspaceError {
  const isNone = errorCode(cause) === "ENOTDIR" || errorCode(cause) === "ELOOP";
  return edgeError(`the directory ${path} ${isNone ? "is a link, or none" : "cannot be used"}`, cause);
}
