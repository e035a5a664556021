/**
 * From an issue's identifier to the name of its directory (SPEC 4.2). The identifier comes from the tracker, so it may
 * be anything: `../../x`, empty, a novel, two spellings of one word.
 */
import { createHash } from "node:crypto";

/** Room under the 255 bytes of a file name for what tools append to it (`.lock`, `.creating`). */
const KEY_LENGTH_MAX = 100;

/** Hex digits of the hash: 32 bits tell the few thousand identifiers of one root apart. */
const HASH_LENGTH = 8;

/** What our own suffix looks like. An identifier that ends like this gets one too, or it could pose as another's key. */
const endsLikeOurs = new RegExp(`-[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * Name of the directory of the issue with this identifier: the identifier itself when it is a plain name, otherwise a
 * sanitised form of it, followed by a hash of the original so that two identifiers never share a directory. Never
 * empty, `.`, `..`, longer than 100 characters, or beginning with a dot: those names are for the root's own use.
 *
 * Keys that differ only in case are different here. On a file system that ignores case the second of them is refused
 * when it is used (safe-path.ts compares real paths), never given the first one's directory.
 */
export function workspaceKey(identifier: string): string {
  const clean = identifier
    .replace(/[^A-Za-z0-9._-]/gu, "_")
    .replace(/^\.+/, (dots) => "_".repeat(dots.length));
  if (clean === identifier && clean !== "" && clean.length <= KEY_LENGTH_MAX && !endsLikeOurs.test(clean))
    return clean;
  const hash = createHash("sha256").update(identifier).digest("hex").slice(0, HASH_LENGTH);
  return `${clean.slice(0, KEY_LENGTH_MAX - HASH_LENGTH - 1) || "_"}-${hash}`;
}
