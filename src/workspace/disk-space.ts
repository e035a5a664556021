/** Whether there is room for more runs: free space of the workspaces' disk, and what each workspace takes. */
import { realpath, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesText, type WorkspaceSettings } from "../domain/domain.ts";
import { edgeError, errorCode, Sizes } from "./files/files.ts";

export interface Space {
  /** Of the disk, for the daemon's user. */
  readonly freeBytes: number;
  /**
   * Of everything under the root, as far as it has been counted: too small at first, and minutes old later. Null when
   * nobody asked: there is no limit, and enough is free.
   */
  readonly usedBytes: number | null;
  /** Largest first, a few. */
  readonly biggest: readonly { readonly key: string; readonly bytes: number }[];
}

/** How many of the largest are told. */
const BIGGEST_MAX = 5;

export interface DiskSpaceParts {
  /** Milliseconds from any fixed point. */
  readonly now: () => number;
  /** Bytes free on the disk of this directory. */
  readonly free?: (directory: string) => Promise<number>;
}

/** Looks at disks, and remembers sizes between two looks: counting all files anew each time would wear the disk out. */
export class DiskSpace {
  readonly #free: (directory: string) => Promise<number>;
  readonly #now: () => number;
  readonly #sizes = new Map<string, Sizes>();
  /** By the root as the workflow spells it, where it was when it was first looked at: no link leads elsewhere later. */
  readonly #real = new Map<string, string>();

  constructor({ now, free = freeBytes }: DiskSpaceParts) {
    this.#now = now;
    this.#free = free;
  }

  /** @throws WorkspaceError when the disk cannot be asked. One look at a time per root. */
  async look({ root, minFreeBytes, maxBytes }: WorkspaceSettings): Promise<Space> {
    const real = await this.#realOf(root);
    const freeBytes = await this.#free(real ?? root);
    if (maxBytes === null && freeBytes >= minFreeBytes) {
      await this.#sizes.get(root)?.close();
      this.#sizes.delete(root);
      return { freeBytes, usedBytes: null, biggest: [] };
    }
    if (real === null) return { freeBytes, usedBytes: 0, biggest: [] };
    const sizes = this.#sizes.get(root) ?? new Sizes(real, this.#now);
    this.#sizes.set(root, sizes);
    await sizes.count();
    return { freeBytes, usedBytes: sizes.total(), biggest: sizes.biggest(BIGGEST_MAX) };
  }

  /** Null when there is no root yet. */
  async #realOf(root: string): Promise<string | null> {
    const real = this.#real.get(root) ?? (await realpath(root).catch(() => null));
    if (real !== null) this.#real.set(root, real);
    return real;
  }
}

/** Free bytes for this user on the disk of `directory`, or of where it will be made. @throws WorkspaceError */
export async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (cause) {
    if (errorCode(cause) === "ENOENT" && dirname(directory) !== directory)
      return freeBytes(dirname(directory));
    throw edgeError(`the free space of ${directory} cannot be read`, cause);
  }
}

/**
 * Why nothing new may start, in words with figures (they change from look to look: compare with null, not with the last
 * words); null when there is room.
 */
export function diskVerdict(
  { freeBytes, usedBytes, biggest }: Space,
  { root, minFreeBytes, maxBytes }: WorkspaceSettings,
): string | null {
  const largest =
    biggest.length === 0
      ? ""
      : ` The largest workspaces: ${biggest.map(({ key, bytes }) => `${key} (${bytesText(bytes)})`).join(", ")}.`;
  if (freeBytes < minFreeBytes)
    return `only ${bytesText(freeBytes)} are free on the disk of ${root}, and workspace.min_free_bytes asks for ${bytesText(minFreeBytes)}.${largest} Remove what is not needed, or lower the limit.`;
  if (maxBytes !== null && usedBytes !== null && usedBytes > maxBytes)
    return `the workspaces in ${root} take ${bytesText(usedBytes)}, and workspace.max_bytes allows ${bytesText(maxBytes)}.${largest} Remove what is not needed, or raise the limit.`;
  return null;
}
