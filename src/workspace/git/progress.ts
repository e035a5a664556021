/** Whether a run has changed anything in its workspace: two fingerprints that differ say so. */
import { createHash } from "node:crypto";
import { hashFiles } from "./content.ts";
import { withDeadline } from "../../processes/processes.ts";
import { survey, type Survey } from "./survey.ts";

/** A run's end waits for this. Git's own bound is the shorter one for a single repository. */
const SURVEY_MAX_MS = 3 * 60_000;

/**
 * The state of the workspace at `path` (a real one): for each repository in it the branch, the commit of HEAD, the local branches and
 * the content of changed and new files; for files outside of repositories their content. Ignored files do not count, nor
 * do times, reading, `git status`, staging, or what was fetched. Null when it cannot be told: no directory, a damaged
 * repository, or one of a form that is not read here. Runs nothing that an agent wrote. `scratch` as in shadow.ts.
 */
export async function fingerprint(path: string, scratch: string): Promise<string | null> {
  try {
    const look = (signal: AbortSignal): Promise<Survey> => survey(path, { scratch, signal });
    return await fingerprintOf(path, await withDeadline(SURVEY_MAX_MS, undefined, look));
  } catch {
    return null;
  }
}

/** The same of a survey at hand; `root` is a real path. */
export async function fingerprintOf(root: string, found: Survey): Promise<string> {
  const hash = createHash("sha256");
  for (const { at, git, refs, dirty } of found.repositories) {
    // Branches of a repository that lies elsewhere belong to other workspaces too.
    const local = git.inside ? [...refs.all].filter(([name]) => isLocal(name)).sort(byName) : [];
    hash.update(JSON.stringify(["repository", at, refs.branch, refs.head, local, refs.stashed]));
    await hashFiles(hash, root, dirty);
  }
  hash.update(JSON.stringify(["loose", found.cut]));
  await hashFiles(hash, root, found.loose);
  return hash.digest("hex");
}

/** What an agent makes by itself; what a hook fetches is not its progress. */
const isLocal = (name: string): boolean => name.startsWith("refs/heads/") || name === "refs/stash";

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);
