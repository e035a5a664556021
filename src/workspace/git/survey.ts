/**
 * What is in a workspace that is nowhere else, perhaps: its repositories with their changed files, and files outside of
 * any repository. Reads only, and runs nothing that an agent wrote (shadow.ts).
 */
import { join } from "node:path";
import { type Dirty, dirtyFiles } from "./dirty.ts";
import { type GitDir, gitDirOf } from "./git-dir.ts";
import { readRefs, type Refs } from "./git-refs.ts";
import { holding, walkFiles } from "../files/files.ts";
import { withShadow } from "./shadow.ts";
import { refuseSnares } from "./snares.ts";
import { WorkspaceError } from "../port.ts";

export interface Surveyed {
  /** Path of the checkout from the workspace; empty for the workspace itself. */
  readonly at: string;
  readonly git: GitDir;
  readonly refs: Refs;
  /** Paths from the workspace. */
  readonly dirty: readonly string[];
}

export interface Survey {
  readonly repositories: readonly Surveyed[];
  /** Files in no repository. Paths from the workspace, in order. */
  readonly loose: readonly string[];
  /** There are more loose files than were looked at. */
  readonly cut: boolean;
}

export interface SurveyPlace {
  /** For what is made to look at repositories, out of the reach of agents (shadow.ts). */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** A workspace with submodules has a handful. */
const REPOSITORIES_MAX = 100;

/** `workspace` is a real path. @throws WorkspaceError when something in it cannot be read or understood. */
export async function survey(workspace: string, place: SurveyPlace): Promise<Survey> {
  const repositories: Surveyed[] = [];
  const loose: string[] = [];
  let cut = false;
  // It must be there itself; of what is in it, anything may be missing.
  await holding(workspace, async () => {});
  const queue = [""];
  const seen = new Set(queue);
  for (const at of queue) {
    const below = under(at);
    const found = await look(join(workspace, at), workspace, repositories, place);
    if (found.git === null) loose.push(...found.files.map(below));
    else repositories.push({ at, git: found.git, refs: found.refs, dirty: found.files.map(below) });
    if (repositories.length > REPOSITORIES_MAX) throw tooMany(workspace);
    cut ||= found.cut;
    const next = found.repositories.map(below).filter((path) => !seen.has(path));
    for (const path of next) seen.add(path);
    queue.push(...next);
  }
  return withoutStores(workspace, { repositories, loose: loose.sort(), cut });
}

const tooMany = (workspace: string): WorkspaceError =>
  new WorkspaceError("workspace_error", `${workspace} holds more than ${REPOSITORIES_MAX} repositories`, {
    hint: "Push or copy what is needed of them, then remove the directory by hand.",
  });

type Found = Dirty & { readonly cut: boolean } & (
    | { readonly git: GitDir; readonly refs: Refs }
    | { readonly git: null }
  );

/** One directory: a checkout, or files (also where a `.git` is none, or a submodule was never fetched). */
async function look(
  directory: string,
  workspace: string,
  before: readonly Surveyed[],
  place: SurveyPlace,
): Promise<Found> {
  const known = before.map(({ git }) => git);
  const git = await gitDirOf(directory, workspace, known);
  if (git === null) return { git, ...(await walkFiles(directory, place.signal)) };
  // Once for all repositories of the workspace, as soon as git is needed.
  if (known.length === 0) await refuseSnares(workspace, [git], place.signal);
  const refs = await readRefs(git);
  const dirty = await withShadow(git, refs, place.scratch, (shadow) => dirtyFiles(shadow, place.signal));
  return { git, refs, cut: false, ...dirty };
}

const under =
  (at: string) =>
  (path: string): string =>
    at === "" ? path : `${at}/${path}`;

/** A git directory that lies open in the workspace (`.bare`) is no work: its refs and objects are looked at as such. */
function withoutStores(workspace: string, { repositories, loose, cut }: Survey): Survey {
  const stores = [...new Set(repositories.map(({ git }) => `${git.commonDir}/`))];
  const isWork = (path: string): boolean => !stores.some((store) => `${workspace}/${path}`.startsWith(store));
  return {
    repositories: repositories.map((one) => ({ ...one, dirty: one.dirty.filter(isWork) })),
    loose: loose.filter(isWork),
    cut,
  };
}
