/** What a list of files holds, as one hash, at a bounded cost. */
import { createHash, type Hash } from "node:crypto";
import { lstat, readlink } from "node:fs/promises";
import { openInside } from "../files/files.ts";

/** Beyond these the size and the time of the last change stand for the content: a rewrite of the same then counts. */
export interface ContentBounds {
  /** A source file is far below; what is larger is a build's output or a picture. */
  readonly fileBytesMax: number;
  /** About a second of reading and hashing. */
  readonly bytesMax: number;
  /** A changed tree of this many files is a generated one. */
  readonly filesMax: number;
  /** A slow disk must not hold up the end of a run. */
  readonly ms: number;
}

export const contentBounds: ContentBounds = {
  fileBytesMax: 32 * 2 ** 20,
  bytesMax: 256 * 2 ** 20,
  filesMax: 20_000,
  ms: 15_000,
};

/**
 * Adds to `hash` what is at each of `paths` under `root` (a real path): kind, name and content; not times, owners or who
 * read it. Links count by where they point. What is not there counts as gone. Never rejects for one file.
 */
export async function hashFiles(
  hash: Hash,
  root: string,
  paths: readonly string[],
  {
    now = () => performance.now(),
    bounds = contentBounds,
  }: { now?: () => number; bounds?: ContentBounds } = {},
): Promise<void> {
  const endBy = now() + bounds.ms;
  let bytesLeft = bounds.bytesMax;
  for (const [index, path] of paths.entries()) {
    const mayRead = index < bounds.filesMax && now() < endBy;
    const bytesMax = mayRead ? Math.min(bytesLeft, bounds.fileBytesMax) : 0;
    const { words, bytesRead } = await fileWords(root, path, bytesMax);
    bytesLeft -= bytesRead;
    hash.update(JSON.stringify([path, ...words]));
  }
}

type Words = readonly (string | number)[];
interface FileWords {
  readonly words: Words;
  readonly bytesRead: number;
}

async function fileWords(root: string, path: string, bytesMax: number): Promise<FileWords> {
  const whole = `${root}/${path}`;
  const unread = (...words: Words): FileWords => ({ words, bytesRead: 0 });
  try {
    const found = await lstat(whole);
    if (found.isSymbolicLink()) return unread("link", await readlink(whole));
    if (!found.isFile()) return unread("other", found.mode);
    const kind = (found.mode & 0o100) === 0 ? "file" : "program";
    // Nothing left to read with: the bound also holds for many empty files.
    if (bytesMax <= 0 || found.size > bytesMax) return unread(kind, found.size, found.mtimeMs);
    const content = await contentHash(root, path, bytesMax);
    return content === null ? unread("elsewhere") : { words: [kind, content], bytesRead: found.size };
  } catch {
    return unread("gone");
  }
}

async function contentHash(root: string, path: string, bytesMax: number): Promise<string | null> {
  const opened = await openInside(root, path);
  if (opened === null) return null;
  const hash = createHash("sha256");
  // The stream closes the file, also when it fails.
  for await (const chunk of opened.file.createReadStream({ end: bytesMax - 1 })) {
    const piece: Buffer = chunk;
    hash.update(piece);
  }
  return hash.digest("hex");
}
