/** What git says of the work in a workspace, in a few lines for whoever takes it over. */
import { withDeadline } from "../../processes/processes.ts";
import { withShadow } from "./shadow.ts";
import { survey, type Surveyed, type SurveyPlace } from "./survey.ts";

/** One repository of the workspace. */
export interface RepositoryWork {
  /** Path from the workspace; empty for the workspace itself. */
  readonly at: string;
  /** Its short name; null when no branch is checked out. */
  readonly branch: string | null;
  /** How many commits HEAD has that are on no remote-tracking branch. */
  readonly ahead: number;
  /** The newest of them, as id and subject. */
  readonly commits: readonly string[];
  /** How many files are changed or new, and some of them, as paths from the workspace. */
  readonly dirty: number;
  readonly files: readonly string[];
}

/** The first turn of a run waits for this. */
const LOOK_MAX_MS = 60_000;

/** A workspace has one repository; submodules that were worked in are a few. */
const REPOSITORIES_MAX = 3;
const COMMITS_MAX = 20;
const FILES_MAX = 40;

/**
 * Of the repositories in the workspace at `path` (a real one), the outermost first. Runs nothing that an agent wrote. Null when it cannot
 * be told. `scratch` as in shadow.ts.
 */
export async function workIn(path: string, scratch: string): Promise<readonly RepositoryWork[] | null> {
  try {
    return await withDeadline(LOOK_MAX_MS, undefined, async (signal) => {
      const place = { scratch, signal };
      const { repositories } = await survey(path, place);
      const found: RepositoryWork[] = [];
      for (const one of repositories.slice(0, REPOSITORIES_MAX)) found.push(await workOf(one, place));
      return found;
    });
  } catch {
    return null;
  }
}

async function workOf(
  { at, git, refs, dirty }: Surveyed,
  { scratch, signal }: SurveyPlace,
): Promise<RepositoryWork> {
  const own = await withShadow(git, refs, scratch, async (shadow) => {
    if (!shadow.hasHead) return { ahead: 0, commits: [] };
    const lines = (...args: readonly string[]): Promise<readonly string[]> =>
      shadow.lines({ args, signal, separator: "\n" });
    const head = refs.head ?? "HEAD";
    const [count = "0"] = await lines("rev-list", "--count", head, "--not", "--remotes");
    const newest = ["--format=%h %s", `--max-count=${COMMITS_MAX}`];
    return { ahead: Number(count), commits: await lines("log", ...newest, head, "--not", "--remotes") };
  });
  const branch = refs.branch?.replace(/^refs\/heads\//, "") ?? null;
  return { at, branch, ...own, dirty: dirty.length, files: dirty.slice(0, FILES_MAX) };
}
