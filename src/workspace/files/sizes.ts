/**
 * How much each directory under a root takes on the disk, counted a piece at a time: one call goes on where the last one
 * stopped, and what is known stays good for a while.
 */
import type { Dir } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { openDirectory } from "./held.ts";

/** One call: some hundred milliseconds of looking, most of it waiting for the disk. */
const ENTRIES_PER_CALL_MAX = 50_000;
const CALL_MAX_MS = 500;

/** A workspace does not grow by gigabytes within this; its disk would show it. */
const GOOD_FOR_MS = 5 * 60_000;

/** Deeper trees and wider ones exist only by mistake or malice; what was counted until here stands for them. */
const ENTRIES_PER_WORKSPACE_MAX = 5_000_000;

/** Asked of the disk together: a few threads answer. */
const AT_ONCE = 64;

/** What `stat` counts in, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512;

interface Known {
  readonly bytes: number;
  readonly at: number;
}

interface Part {
  readonly bytes: number;
  readonly entries: number;
}

/** One workspace being counted. */
interface Count {
  readonly key: string;
  readonly walk: AsyncGenerator<Part, void>;
  bytes: number;
  entries: number;
}

export class Sizes {
  readonly #root: string;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  #counting: Count | null = null;

  /** `root` is a real path: what a link in its place leads to is not counted. */
  constructor(root: string, now: () => number) {
    this.#root = root;
    this.#now = now;
  }

  /** Goes on counting, for as long as one call may. What cannot be read counts nothing. */
  async count(): Promise<void> {
    const queue = await this.#due();
    const endBy = this.#now() + CALL_MAX_MS;
    let left = ENTRIES_PER_CALL_MAX;
    while (left > 0 && this.#now() < endBy) {
      this.#counting ??= begin(this.#root, queue.shift());
      if (this.#counting === null) return;
      const { done, value } = await this.#counting.walk.next();
      if (done === true) this.#learn(this.#counting);
      else {
        left -= value.entries;
        this.#counting.bytes += value.bytes;
        this.#counting.entries += value.entries;
        if (this.#counting.entries < ENTRIES_PER_WORKSPACE_MAX) continue;
        await this.#counting.walk.return();
        this.#learn(this.#counting);
      }
    }
  }

  /** All that is known; of one that is being counted again, the larger of both. */
  total(): number {
    return Math.round(this.#all().reduce((sum, { bytes }) => sum + bytes, 0));
  }

  /** The largest ones that are workspaces, not Baton's own. */
  biggest(max: number): readonly { readonly key: string; readonly bytes: number }[] {
    return this.#all()
      .filter(({ key, bytes }) => !key.startsWith(".") && bytes > 0)
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, max)
      .map(({ key, bytes }) => ({ key, bytes: Math.round(bytes) }));
  }

  /** Lets go of the directory that is open between two calls. */
  async close(): Promise<void> {
    await this.#counting?.walk.return();
    this.#counting = null;
  }

  #all(): { readonly key: string; readonly bytes: number }[] {
    const all = new Map([...this.#known].map(([key, { bytes }]) => [key, bytes]));
    if (this.#counting !== null)
      all.set(this.#counting.key, Math.max(this.#counting.bytes, all.get(this.#counting.key) ?? 0));
    return [...all].map(([key, bytes]) => ({ key, bytes }));
  }

  #learn({ key, bytes }: Count): void {
    this.#known.set(key, { bytes, at: this.#now() });
    this.#counting = null;
  }

  /** What is there and not known any more, never counted first. Forgets what is gone. */
  async #due(): Promise<string[]> {
    const names = await namesIn(this.#root);
    for (const key of this.#known.keys()) if (!names.includes(key)) this.#known.delete(key);
    if (this.#counting !== null && !names.includes(this.#counting.key)) {
      await this.#counting.walk.return();
      this.#counting = null;
    }
    const at = (key: string): number => this.#known.get(key)?.at ?? Number.NEGATIVE_INFINITY;
    const busy = this.#counting?.key;
    const oldest = this.#now() - GOOD_FOR_MS;
    return names.filter((key) => key !== busy && at(key) < oldest).sort((a, b) => at(a) - at(b));
  }
}

const begin = (root: string, key: string | undefined): Count | null =>
  key === undefined ? null : { key, walk: sizesIn(join(root, key)), bytes: 0, entries: 0 };

/** Everything at `path`, some things at a time. Links are not followed, other disks not entered. */
async function* sizesIn(path: string): AsyncGenerator<Part, void> {
  const top = await lstat(path).catch(() => null);
  if (top === null) return;
  yield { bytes: top.blocks * BLOCK_BYTES, entries: 1 };
  const queue = top.isDirectory() ? [path] : [];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const directory = await open(at);
    if (directory === null) continue;
    let names: string[] = [];
    for await (const { name } of directory) {
      names.push(join(at, name));
      if (names.length < AT_ONCE) continue;
      yield await partOf(names, top.dev, queue);
      names = [];
    }
    yield await partOf(names, top.dev, queue);
  }
}

/** The size of these; directories among them are put into `queue`. */
async function partOf(paths: readonly string[], disk: number, queue: string[]): Promise<Part> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => null)));
  let bytes = 0;
  for (const [index, one] of found.entries()) {
    if (one === null || one.dev !== disk) continue;
    // A file with several names is shared among them: package stores link every file they hold.
    bytes += (one.blocks * BLOCK_BYTES) / (one.isDirectory() ? 1 : one.nlink);
    if (one.isDirectory()) queue.push(paths[index] ?? "");
  }
  return { bytes, entries: paths.length };
}

const open = (path: string): Promise<Dir | null> => openDirectory(path).catch(() => null);

async function namesIn(root: string): Promise<string[]> {
  const names: string[] = [];
  const directory = await open(root);
  if (directory !== null) for await (const { name } of directory) names.push(name);
  return names;
}
