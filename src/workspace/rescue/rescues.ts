/** The rescues that are there: listed, found by id or issue, and removed when they are old. */
import {
  deleteIn,
  deleteLeftovers,
  edgeError,
  errorCode,
  type Held,
  holding,
  makingPrefix,
  throwAway,
} from "../files/files.ts";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS, type Instant, instant } from "../../domain/domain.ts";
import { type Manifest, readManifest } from "./manifest.ts";

export interface Rescued {
  readonly manifest: Manifest;
  /** The directory of this rescue. */
  readonly to: string;
}

/** Where a daemon keeps its rescues: beside its ledger. */
export const rescueDirectory = (stateDirectory: string): string => join(stateDirectory, "rescue");

/** Thousands would be a fault elsewhere; the newest are shown. */
const RESCUES_MAX = 10_000;

/**
 * Newest first; with a `prefix`, those whose id begins with it. Directories without a manifest that can be read are no
 * rescues. @throws WorkspaceError
 */
export async function listRescues(directory: string, prefix = ""): Promise<readonly Rescued[]> {
  const found: Rescued[] = [];
  const names = (await namesIn(directory)).filter((name) => !name.startsWith(".") && name.startsWith(prefix));
  for (const name of names.slice(0, RESCUES_MAX)) {
    const to = join(directory, name);
    const manifest = await readManifest(to);
    // Its name is its id: a copy somebody made by hand is another one.
    if (manifest !== null) found.push({ manifest: { ...manifest, id: name }, to });
  }
  return found.sort((a, b) => (a.manifest.rescued_at < b.manifest.rescued_at ? 1 : -1));
}

/** The rescue of this id, else the newest of the issue with this identifier or id; null when there is none. */
export async function findRescue(directory: string, name: string): Promise<Rescued | null> {
  const all = await listRescues(directory);
  const of = ({ manifest }: Rescued): boolean => manifest.identifier === name || manifest.issue_id === name;
  return all.find(({ manifest }) => manifest.id === name) ?? all.find(of) ?? null;
}

/** A rescue that is being made takes minutes; what is older was left by a process that died. */
const UNFINISHED_MS = DAY_MS;

/**
 * Removes rescues older than `retentionDays`, and what an earlier process left half made. Answers the ids removed; what
 * cannot be removed now is tried again next time. @throws WorkspaceError when the directory cannot be read.
 */
export async function pruneRescues(
  directory: string,
  retentionDays: number,
  now: Instant,
): Promise<readonly string[]> {
  const rescues = await listRescues(directory);
  if ((await namesIn(directory)).length === 0) return [];
  return holding(await realpath(directory), async (held) => {
    const removed: string[] = [];
    for (const { manifest } of rescues) {
      const at = instant(Date.parse(manifest.rescued_at));
      if (!(now - at > retentionDays * DAY_MS)) continue;
      if (await discard(held, manifest.id)) removed.push(manifest.id);
    }
    await removeUnfinished(held, now);
    return removed;
  });
}

/** Gone by one rename, so that nobody finds half of one; then deleted. */
async function discard(directory: Held, id: string): Promise<boolean> {
  const thrown = await throwAway(directory, id).catch(() => null);
  return thrown !== null && thrown.found && thrown.left === null;
}

/** What never got its name, and what never got deleted. */
async function removeUnfinished(directory: Held, now: Instant): Promise<void> {
  for (const name of (await namesIn(directory.here)).filter((name) => name.startsWith(makingPrefix))) {
    const found = await lstat(directory.at(name)).catch(() => null);
    if (found !== null && now - found.mtimeMs > UNFINISHED_MS) await deleteIn(directory, name);
  }
  await deleteLeftovers(directory, () => performance.now());
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return [];
    throw edgeError(`the rescues in ${directory} cannot be read`, cause);
  }
}
