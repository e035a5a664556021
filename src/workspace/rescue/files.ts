/** Copies files out of a workspace, smallest first and within bounds; what is left out is said by name. */
import { createWriteStream } from "node:fs";
import { lstat, mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { bytesText } from "../../domain/domain.ts";
import { errorCode, type Inside, linkInside, openInside } from "../files/files.ts";
import { refuseWithoutRoom } from "./room.ts";

export interface FilesBounds {
  /** Sources and documents are far below; what is larger than this is a data set or a core dump. */
  readonly fileBytesMax: number;
  readonly bytesMax: number;
  /** More than this is generated: a tree of dependencies that nobody ignores. */
  readonly filesMax: number;
}

export const filesBounds: FilesBounds = {
  fileBytesMax: 512 * 2 ** 20,
  bytesMax: 2 * 2 ** 30,
  filesMax: 50_000,
};

export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

export interface Copied {
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Not there any more. */
  readonly missing: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly bytes: number;
}

interface Seen {
  readonly path: string;
  readonly what: "file" | "link" | "missing" | "other";
  readonly bytes: number;
}

/**
 * Copies what is at `paths` under `root` (a real path) to the same paths under `to`. Links are copied as links. Rejects
 * when it cannot write or needs more than `room` bytes; what cannot be read is left out and named.
 */
export async function copyFiles(
  root: string,
  paths: readonly string[],
  to: string,
  room: number,
  signal: AbortSignal,
  bounds = filesBounds,
): Promise<Copied> {
  const seen: Seen[] = [];
  for (const path of paths) seen.push(await look(root, path));
  // Many small things are written by hand, few large ones by programs.
  const inOrder = seen.filter(({ what }) => what !== "missing").sort((a, b) => a.bytes - b.bytes);
  const files: { path: string; bytes: number }[] = [];
  const leftOut: LeftOut[] = [];
  let bytes = 0;
  const made = new Set<string>();
  for (const one of inOrder) {
    signal.throwIfAborted();
    // Asked again of what was opened: it may be larger by now, or not what was looked at.
    const refusal = (size: number): string | null => {
      const why = whyNot({ ...one, bytes: size }, files.length, bytes, bounds);
      if (why === null) refuseWithoutRoom(bytes + size, room);
      return why;
    };
    const copied = await copyOne(root, one, to, made, refusal);
    if ("why" in copied) leftOut.push({ path: one.path, why: copied.why });
    else {
      files.push({ path: one.path, bytes: copied.bytes });
      bytes += copied.bytes;
    }
  }
  const missing = seen.filter(({ what }) => what === "missing").map(({ path }) => path);
  return { files, missing, leftOut, bytes };
}

async function look(root: string, path: string): Promise<Seen> {
  const whole = `${root}/${path}`;
  const found = await lstat(whole).catch(() => null);
  // Behind a link that took a directory's place is somebody else's file; the one that was here is gone.
  if (found === null || (await realpath(dirname(whole)).catch(() => null)) !== dirname(whole))
    return { path, what: path.includes("\uFFFD") ? "other" : "missing", bytes: 0 };
  if (found.isSymbolicLink()) return { path, what: "link", bytes: 0 };
  return found.isFile() ? { path, what: "file", bytes: found.size } : { path, what: "other", bytes: 0 };
}

function whyNot(
  { path, what, bytes }: Seen,
  count: number,
  soFar: number,
  bounds: FilesBounds,
): string | null {
  if (path.includes("\uFFFD")) return "its name is no UTF-8";
  if (what === "other") return "it is no file";
  if (bytes > bounds.fileBytesMax)
    return `it has ${bytesText(bytes)}, more than ${bytesText(bounds.fileBytesMax)}`;
  if (count >= bounds.filesMax) return `more than ${bounds.filesMax} files`;
  if (soFar + bytes > bounds.bytesMax) return `more than ${bytesText(bounds.bytesMax)} in all`;
  return null;
}

type CopiedOne = { readonly bytes: number } | { readonly why: string };

async function copyOne(
  root: string,
  { path, what, bytes }: Seen,
  to: string,
  made: Set<string>,
  refusal: (bytes: number) => string | null,
): Promise<CopiedOne> {
  const why = refusal(bytes);
  if (why !== null) return { why };
  const target = join(to, path);
  if (!(await makeWay(dirname(target), to, made)))
    return { why: "a link was put in the place of its directory" };
  if (what === "link") {
    const points = await linkInside(root, path);
    if (points === null) return { why: unreadable };
    await symlink(points, target);
    return { bytes };
  }
  const opened = await openInside(root, path);
  return opened === null ? { why: unreadable } : copyOpened(opened, target, refusal);
}

async function copyOpened(
  { file, bytes, executable }: Inside,
  target: string,
  refusal: (bytes: number) => string | null,
): Promise<CopiedOne> {
  try {
    const why = refusal(bytes);
    if (why !== null) return { why };
    // Not more than was counted, should it be growing.
    const from = bytes === 0 ? [] : file.createReadStream({ end: bytes - 1 });
    await pipeline(from, createWriteStream(target, { flags: "wx", mode: executable ? 0o700 : 0o600 }));
    return { bytes };
  } finally {
    await file.close();
  }
}

const unreadable = "it cannot be read, or is not where it seems to be";

/**
 * Makes `directory` under `to`, step by step. False when something else than a directory we made is there: `a` can have
 * been copied as a link by the time `a/b` is, and behind it the copy would be written wherever the link points.
 */
async function makeWay(directory: string, to: string, made: Set<string>): Promise<boolean> {
  if (made.has(directory)) return true;
  if (directory === to) await mkdir(to, { recursive: true, mode: 0o700 });
  else {
    if (!(await makeWay(dirname(directory), to, made))) return false;
    const isNew = await mkdir(directory, { mode: 0o700 }).then(
      () => true,
      (cause: unknown) => {
        if (errorCode(cause) === "EEXIST") return false;
        throw cause;
      },
    );
    if (!isNew) return false;
  }
  made.add(directory);
  return true;
}
