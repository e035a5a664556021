/**
 * A git directory of ours that stands for a repository the agent could write to. Objects are read where they are;
 * refs, HEAD, index, exclude rules and the shallow boundary are copied as files. Configuration, hooks, attributes of
 * `.git/info` and everything else stay behind, so nothing an agent wrote there has a say in what git does here.
 *
 * `.gitattributes` of the checkout are read by git, but a filter or a driver they name is defined nowhere.
 */
import { createWriteStream } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { edgeError, type Held, holding, makingPrefix, openReal, readReal } from "../files/files.ts";
import { git, type GitCall, gitLines } from "./git-call.ts";
import type { GitDir } from "./git-dir.ts";
import type { Refs } from "./git-refs.ts";
import { refuseOddObjects } from "./snares.ts";
import { WorkspaceError } from "../port.ts";

type Ask = Pick<GitCall, "args" | "signal" | "separator"> & { readonly inWorktree?: boolean };

export interface Shadow {
  /** Whether the repository has an index: without one nothing was ever checked out or added. */
  readonly hasIndex: boolean;
  /** Whether HEAD is a commit. */
  readonly hasHead: boolean;
  /** What HEAD, the refs and the shallow boundary are from now on. */
  set(refs: ReadonlyMap<string, string>, shallow: ReadonlySet<string>): Promise<void>;
  /** @throws WorkspaceError when git fails. */
  each(ask: Ask, onRecord: (record: string) => void): Promise<void>;
  lines(ask: Ask): Promise<readonly string[]>;
  readonly shallow: ReadonlySet<string>;
}

/** An index entry takes about 100 bytes: room for 5 million files. */
const INDEX_BYTES_MAX = 512 * 2 ** 20;
const EXCLUDE_BYTES_MAX = 2 ** 20;
const SHALLOW_BYTES_MAX = 4 * 2 ** 20;
/** Git keeps one or two. */
const SHARED_INDEXES_MAX = 4;

/**
 * Makes the directory in `scratch`, hands it to `use`, and removes it. `scratch` is out of the reach of agents, who could
 * write configuration into it (the temporary directory is theirs, too); what a crash leaves there goes with unfinished
 * rescues. @throws WorkspaceError
 */
export async function withShadow<T>(
  repo: GitDir,
  refs: Refs,
  scratch: string,
  use: (shadow: Shadow) => Promise<T>,
): Promise<T> {
  let place: string | null = null;
  try {
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const made = (place = await mkdtemp(join(scratch, `${makingPrefix}git-`)));
    return await holding(join(repo.commonDir, "objects"), async (objects) => {
      if (repo.inside) await refuseOddObjects(objects);
      return use(await build(made, repo, objects, refs));
    });
  } catch (cause) {
    throw edgeError(`the repository of ${repo.worktree} cannot be read`, cause);
  } finally {
    if (place !== null) await rm(place, { recursive: true, force: true });
  }
}

async function build(place: string, repo: GitDir, objects: Held, refs: Refs): Promise<Shadow> {
  await mkdir(join(place, "refs"));
  await mkdir(join(place, "info"));
  await writeFile(join(place, "config"), configuration(refs));
  const exclude = await readReal(join(repo.commonDir, "info", "exclude"), EXCLUDE_BYTES_MAX);
  if (exclude !== null) await writeFile(join(place, "info", "exclude"), exclude);
  const hasIndex = await copyIndex(repo.gitDir, place);
  const shallow = new Set(idsIn(await readReal(join(repo.commonDir, "shallow"), SHALLOW_BYTES_MAX)));
  // The directory held, not its path. Not as an alternate: git makes a path of those first.
  const from = { gitDir: place, objects: objects.abroad };
  const worktreeOf = ({ inWorktree }: Ask): string | null => (inWorktree === true ? repo.worktree : null);
  const shadow: Shadow = {
    hasIndex,
    hasHead: refs.head !== null,
    shallow,
    set: async (named, boundary) => {
      await writeFile(join(place, "packed-refs"), [...named].map(([name, id]) => `${id} ${name}\n`).join(""));
      const shallow = join(place, "shallow");
      if (boundary.size === 0) await rm(shallow, { force: true });
      else await writeFile(shallow, [...boundary].map((id) => `${id}\n`).join(""));
    },
    each: (ask, onRecord) => git({ ...from, ...ask, worktree: worktreeOf(ask), onRecord }),
    lines: (ask) => gitLines({ ...from, ...ask, worktree: worktreeOf(ask) }),
  };
  // Without an index git would call every file of HEAD deleted.
  await writeFile(
    join(place, "HEAD"),
    refs.head !== null && hasIndex ? `${refs.head}\n` : `ref: ${noBranch}\n`,
  );
  await shadow.set(refs.all, shallow);
  return shadow;
}

/** A branch that does not exist: HEAD then names no commit. */
const noBranch = "refs/heads/none-such";

function configuration(refs: Refs): string {
  const id = refs.head ?? refs.all.values().next().value ?? "";
  const format = id.length === 64 ? "1\n[extensions]\n\tobjectFormat = sha256\n" : "0\n";
  return `[core]\n\tbare = false\n\trepositoryFormatVersion = ${format}`;
}

const idsIn = (content: Buffer | null): readonly string[] =>
  (content?.toString("utf8") ?? "")
    .split("\n")
    .filter((line) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(line));

async function copyIndex(gitDir: string, place: string): Promise<boolean> {
  if (!(await copy(gitDir, place, "index"))) return false;
  const names = await holding(gitDir, ({ here }) => readdir(here));
  const shared = names.filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));
  for (const name of shared.slice(0, SHARED_INDEXES_MAX)) await copy(gitDir, place, name);
  // Entries as young as the index are compared by content. A copy that looks younger than it is would skip that.
  const { mtimeMs } = await lstat(join(gitDir, "index"));
  await utimes(join(place, "index"), mtimeMs / 1_000 - 1, mtimeMs / 1_000 - 1);
  return true;
}

async function copy(from: string, to: string, name: string): Promise<boolean> {
  const opened = await openReal(join(from, name));
  if (opened === null) return false;
  if (opened.bytes > INDEX_BYTES_MAX) {
    await opened.file.close();
    throw new WorkspaceError(
      "workspace_error",
      `${join(from, name)} is longer than ${INDEX_BYTES_MAX} bytes`,
      {
        hint: "No index is that long: look at it, then remove it by hand.",
      },
    );
  }
  await pipeline(
    opened.file.createReadStream({ end: INDEX_BYTES_MAX - 1 }),
    createWriteStream(join(to, name), { flags: "wx" }),
  );
  return true;
}
