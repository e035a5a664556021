/**
 * Makes a directory from a rescue: the repositories with their saved commits, and the saved files over them. The result
 * is somebody's to look at, so it never takes the place of anything, and is there as a whole or not at all.
 */
import { copyFile, constants, lstat, mkdir, mkdtemp, readlink, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { bundlePlace, headRef } from "./bundle.ts";
import { git, gitLines } from "./git.ts";
import { filesName, type RescuedRepository } from "./rescue-manifest.ts";
import type { Rescued } from "./rescues.ts";
import { edgeError } from "./safe-path.ts";
import { WorkspaceError } from "./workspace.ts";

export interface Restored {
  readonly to: string;
  readonly commits: number;
  readonly files: number;
  /** What a person has to know or do, in whole sentences. */
  readonly notes: readonly string[];
}

/** Unpacking a large repository takes a minute. */
const restoreMaxMs = 10 * 60_000;

/** `to` is absolute. @throws WorkspaceError when it exists, or the rescue cannot be read. */
export async function restore(rescued: Rescued, to: string): Promise<Restored> {
  const { manifest } = rescued;
  if ((await lstat(to).catch(() => null)) !== null)
    throw new WorkspaceError("workspace_error", `${to} is there already`, {
      hint: "Nothing is ever overwritten: name another directory with --to.",
    });
  let making = "";
  try {
    await mkdir(dirname(to), { recursive: true });
    making = await mkdtemp(join(dirname(to), `.${basename(to)}-`));
    const signal = AbortSignal.timeout(restoreMaxMs);
    const notes: string[] = [];
    // A submodule goes into the checkout that it is part of.
    for (const one of [...manifest.repositories].sort((a, b) => a.at.length - b.at.length))
      notes.push(...(await restoreRepository(rescued.to, one, making, signal)));
    for (const path of manifest.repositories.flatMap(({ deleted }) => deleted)) await makeWay(making, path);
    for (const { path } of manifest.files)
      if (isGits(path)) notes.push(`${path} was not laid down: it belongs to git. It is in ${rescued.to}/${filesName}.`);
      else await layDown(join(rescued.to, filesName), making, path);
    if (manifest.left_out.length > 0)
      notes.push(`${manifest.left_out.length + manifest.left_out_more} files had been left out of the rescue.`);
    await rename(making, to);
    const commits = manifest.repositories.reduce((sum, one) => sum + (one.needs.length > 0 ? 0 : one.commits), 0);
    return { to, commits, files: manifest.files.length, notes };
  } catch (cause) {
    throw edgeError(`${manifest.id} cannot be restored to ${to}`, cause);
  } finally {
    if (making !== "") await rm(making, { recursive: true, force: true });
  }
}

async function restoreRepository(
  from: string,
  one: RescuedRepository,
  to: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const at = one.at === "" ? "the workspace" : one.at;
  const state = `${one.head ?? "no commit"}${one.branch === null ? "" : ` on ${one.branch}`}`;
  if (one.bundle === null)
    return one.head === null || one.deleted.length === 0 ? [`${at} stood at ${state}, which is on its remote.`]
      : [`${at} stood at ${state}, which is on its remote; deleted there: ${one.deleted.join(", ")}.`];
  const bundle = join(from, one.bundle);
  if (one.needs.length > 0)
    return [
      `The commits of ${at} need ${one.needs.join(", ")} of its remote. In a clone of it: git fetch ${bundle} '+refs/*:refs/rescued/*'`,
    ];
  const worktree = one.at === "" ? to : join(to, one.at);
  if (one.at !== "") await makeDirectories(to, one.at);
  const gitDir = join(worktree, ".git");
  const ask = { gitDir, worktree: null, signal, separator: "\n" as const };
  await gitLines({ ...ask, args: ["-c", "init.defaultBranch=restored", "init", "--quiet", "--template="] });
  if (one.shallow.length > 0)
    await writeFile(join(gitDir, "shallow"), one.shallow.map((id) => `${id}\n`).join(""));
  const fetch = ["-c", "protocol.file.allow=always", "fetch", "--quiet", "--no-tags", "--update-head-ok"];
  await gitLines({ ...ask, args: [...fetch, "--no-write-fetch-head", bundle, "+refs/*:refs/*"] });
  return checkOut({ ...ask, worktree }, one, at, state);
}
