/**
 * Makes a directory from a rescue: the repositories with their saved commits, and the saved files over them. The result
 * is somebody's to look at, so it never takes the place of anything, and is there as a whole or not at all.
 */
import { lstat, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { edgeError, isGits, layDown, makeWay } from "../files/files.ts";
import { filesName } from "./manifest.ts";
import type { Rescued } from "./rescues.ts";
import { restoreRepository } from "./restore-repository.ts";
import { WorkspaceError } from "../port.ts";

export interface Restored {
  readonly to: string;
  readonly commits: number;
  readonly files: number;
  /** What a person has to know or do, in whole sentences. */
  readonly notes: readonly string[];
}

/** Unpacking a large repository takes a minute. */
const RESTORE_MAX_MS = 10 * 60_000;

/** `to` is absolute. @throws WorkspaceError when it exists, or the rescue cannot be read. */
export async function restore(rescued: Rescued, to: string): Promise<Restored> {
  await refuseExisting(to);
  const { manifest } = rescued;
  let making: string | null = null;
  try {
    await mkdir(dirname(to), { recursive: true });
    making = await mkdtemp(join(dirname(to), `.${basename(to)}-`));
    const notes = await fill(making, rescued);
    await rename(making, to);
    const commits = manifest.repositories.filter(({ needs }) => needs.length === 0);
    return {
      to,
      commits: commits.reduce((sum, one) => sum + one.commits, 0),
      files: manifest.files.length,
      notes,
    };
  } catch (cause) {
    const { message } = edgeError("it", cause);
    throw new WorkspaceError("workspace_error", `${manifest.id} cannot be restored to ${to}: ${message}`, {
      hint: `What was saved is in ${rescued.to}, as plain files and git bundles.`,
      cause,
    });
  } finally {
    if (making !== null) await rm(making, { recursive: true, force: true }).catch(() => {});
  }
}

async function refuseExisting(to: string): Promise<void> {
  if ((await lstat(to).catch(() => null)) === null) return;
  throw new WorkspaceError("workspace_error", `${to} is there already`, {
    hint: "Nothing is ever overwritten: name another directory with --to.",
  });
}

async function fill(making: string, { manifest, to: rescue }: Rescued): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(RESTORE_MAX_MS);
  const notes: string[] = [];
  // A submodule goes into the checkout that it is part of.
  for (const one of [...manifest.repositories].sort((a, b) => a.at.length - b.at.length))
    notes.push(...(await restoreRepository(rescue, one, making, signal)));
  const saved = join(rescue, filesName);
  const deleted = manifest.repositories.flatMap((one) => one.deleted);
  for (const path of deleted) if (!isGits(path)) await makeWay(making, path);
  for (const { path } of manifest.files)
    if (!isGits(path)) await layDown(saved, making, path);
    else notes.push(`${path} is git's own and was not laid down: it is in ${saved}.`);
  const left = manifest.left_out.length + manifest.left_out_more;
  if (left > 0) notes.push(`${left} of its files had not been saved; \`baton rescue show\` names them.`);
  return notes;
}
