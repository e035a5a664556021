/**
 * From an issue's identifier to the name of its directory (SPEC 4.2, 9.5). The identifier comes from the tracker, so it
 * may be anything: `../../x`, empty, a novel, two spellings of one word.
 */
import { createHash } from "node:crypto";

/** Room under the 255 bytes of a file name for what tools append to it (`.lock`, `.creating`). */
const KEY_LENGTH_MAX = 100;

/** Hex digits of the hash: the 64 bits that SPEC 9.5 asks for. */
const HASH_LENGTH = 16;

/** What earlier releases had, who also hashed names that look as if they ended with such a hash. */
const OLDER_HASH_LENGTH = 8;
const endsLikeOlder = new RegExp(`-[0-9a-f]{${OLDER_HASH_LENGTH}}$`);

/**
 * Name of the directory of the issue with this identifier: the identifier itself when nothing in it has to be changed,
 * otherwise a sanitised form of it, followed by a hash of the original, so that identifiers that become the same text do not
 * share a directory. Never empty, `.`, `..`, longer than 100 characters, or beginning with a dot: those names are for the
 * root's own use. That a plain identifier is spelled like another's hashed one is what records are for (owners.ts).
 *
 * Keys that differ only in case are different here. On a file system that ignores case the second of them is refused
 * when it is used (safe-path.ts compares real paths), never given the first one's directory.
 */
export function workspaceKey(identifier: string): string {
  const clean = sanitised(identifier);
  return isPlain(identifier, clean) ? clean : suffixed(clean, hashOf(identifier, HASH_LENGTH));
}

/** The name it had in earlier releases, 32 bits of hash: directories that exist are kept. Null when it is the same. */
export function olderWorkspaceKey(identifier: string): string | null {
  const clean = sanitised(identifier);
  if (isPlain(identifier, clean) && !endsLikeOlder.test(clean)) return null;
  return suffixed(clean, hashOf(identifier, OLDER_HASH_LENGTH));
}

/** Where an issue's directory is when the one of its name is another issue's: always the same for one issue. */
export const keyBeside = (key: string, kind: string, issueId: string): string =>
  suffixed(key, hashOf(`${kind}\0${issueId}`, HASH_LENGTH));

const sanitised = (identifier: string): string =>
  identifier.replace(/[^A-Za-z0-9._-]/gu, "_").replace(/^\.+/, (dots) => "_".repeat(dots.length));

const isPlain = (identifier: string, clean: string): boolean =>
  clean === identifier && clean !== "" && clean.length <= KEY_LENGTH_MAX;

const suffixed = (clean: string, hash: string): string =>
  `${clean.slice(0, KEY_LENGTH_MAX - hash.length - 1) || "_"}-${hash}`;

const hashOf = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);
