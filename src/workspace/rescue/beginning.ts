/** What a workspace holds before its first agent, and whether something is still as it was then. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Survey } from "../git/git.ts";

export interface Beginning {
  /** What the refs of its repositories named: what can be reached from there is nobody's own work. */
  readonly commits: ReadonlySet<string>;
  /** Files that no commit has, by path, each as `printOf` had it. */
  readonly files: ReadonlyMap<string, string>;
}

export const NOTHING: Beginning = { commits: new Set(), files: new Map() };

/** A workspace that hooks fill with more uncommitted files than this is saved as a whole. */
const FILES_MAX = 20_000;

/** `root` is a real path. */
export async function beginningAt(root: string, { repositories, loose }: Survey): Promise<Beginning> {
  const commits = repositories.flatMap(({ refs }) => [
    ...refs.all.values(),
    ...refs.stashed,
    ...(refs.head === null ? [] : [refs.head]),
  ]);
  const paths = [...loose, ...repositories.flatMap(({ dirty }) => dirty)];
  const files = new Map<string, string>();
  if (paths.length <= FILES_MAX) for (const path of paths) files.set(path, await printOf(root, path));
  return { commits: new Set(commits), files };
}

/** Those of the paths that are not as they were. */
export async function changedSince(
  { files }: Beginning,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const path of paths) {
    const before = files.get(path);
    if (before === undefined || before !== (await printOf(root, path))) changed.push(path);
  }
  return changed;
}

/** By the time of the last change of anything about it, which nobody but the system can set. */
async function printOf(root: string, path: string): Promise<string> {
  const found = await lstat(join(root, path), { bigint: true }).catch(() => null);
  return found === null ? "gone" : `${found.ino}:${found.size}:${found.ctimeNs}`;
}

const form = z.object({
  version: z.literal(1),
  commits: z.array(z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)),
  files: z.array(z.tuple([z.string(), z.string()])),
});

export const beginningText = ({ commits, files }: Beginning): string =>
  `${JSON.stringify({ version: 1, commits: [...commits], files: [...files] } satisfies z.input<typeof form>)}\n`;

/** Null when it is none. */
export function beginningIn(text: string): Beginning | null {
  try {
    const { commits, files } = form.parse(JSON.parse(text));
    return { commits: new Set(commits), files: new Map(files) };
  } catch {
    return null;
  }
}
