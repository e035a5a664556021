/** Gathers what is to be saved of a workspace in one directory: bundles of commits, copies of files. */
import { join } from "node:path";
import { type Beginning, changedSince } from "./beginning.ts";
import { bundleUnpushed } from "./bundle.ts";
import { type Copied, copyFiles } from "./files.ts";
import { filesName, type Manifest, type RescuedRepository } from "./manifest.ts";
import { roomIn } from "./room.ts";
import type { Survey, Surveyed } from "../git/git.ts";

/** The part of the manifest that tells of the content. */
export type Work = Pick<Manifest, "repositories" | "files" | "left_out" | "left_out_more" | "bytes">;

/** Longer lists are for the machine that made them; the count says enough. */
const LEFT_OUT_LISTED_MAX = 1_000;

/** Null when there is nothing to save. @throws WorkspaceError when something cannot be saved, or there is no room. */
export async function gather(
  root: string,
  found: Survey,
  to: string,
  beginning: Beginning,
  signal: AbortSignal,
): Promise<Work | null> {
  const bundled: { one: Surveyed; saved: Omit<RescuedRepository, "deleted">; bytes: number }[] = [];
  for (const [index, one] of found.repositories.entries())
    bundled.push(await gatherCommits(one, to, `commits-${index}.bundle`, beginning, signal));
  const all = [...found.loose, ...found.repositories.flatMap(({ dirty }) => dirty)];
  const paths = await changedSince(beginning, root, all);
  if (paths.length === 0 && bundled.every(({ saved }) => saved.bundle === null)) return null;
  const copied = await copyFiles(root, paths, join(to, filesName), await roomIn(to), signal);
  const missing = new Set(copied.missing);
  return {
    repositories: bundled.map(({ one, saved }) => ({
      ...saved,
      deleted: one.dirty.filter((path) => missing.has(path)),
    })),
    files: [...copied.files],
    ...leftOutOf(copied, found),
    bytes: bundled.reduce((sum, { bytes }) => sum + bytes, copied.bytes),
  };
}

async function gatherCommits(
  one: Surveyed,
  to: string,
  name: string,
  { commits: before }: Beginning,
  signal: AbortSignal,
) {
  const bundle = await bundleUnpushed(one, join(to, name), await roomIn(to), before, signal);
  const { branch, head } = one.refs;
  const { commits = 0, refs = [], shallow = [], needs = [], bytes = 0 } = bundle ?? {};
  const lists = { refs: [...refs], shallow: [...shallow], needs: [...needs] };
  const saved = { at: one.at, branch, head, commits, bundle: bundle === null ? null : name, ...lists };
  return { one, saved, bytes };
}

function leftOutOf({ leftOut }: Copied, { cut }: Survey): Pick<Manifest, "left_out" | "left_out_more"> {
  const all = cut ? [...leftOut, { path: ".", why: "there are more files than are looked at" }] : leftOut;
  return {
    left_out: all.slice(0, LEFT_OUT_LISTED_MAX),
    left_out_more: Math.max(0, all.length - LEFT_OUT_LISTED_MAX),
  };
}
