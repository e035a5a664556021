/** The refs of a repository, read as plain files. What git would not accept as a ref is none here either. */
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { errorCode, openDirectory, readReal } from "../files/files.ts";
import type { GitDir } from "./git-dir.ts";
import { WorkspaceError } from "../port.ts";

export interface Refs {
  /** `refs/heads/topic`; null when HEAD is a commit itself. */
  readonly branch: string | null;
  /** What HEAD stands for; null on a branch without a commit. */
  readonly head: string | null;
  /** By full name, with what each names: a commit, or a tag. */
  readonly all: ReadonlyMap<string, string>;
  /** Older entries of the stash, which no ref names: newest first. */
  readonly stashed: readonly string[];
}

/** Large public repositories have some 100,000; git itself is slow by then. */
const REFS_MAX = 200_000;
/** 200,000 names of 100 characters, with room. */
const PACKED_BYTES_MAX = 64 * 2 ** 20;
/** An id, or `ref: ` and a name. */
const LOOSE_BYTES_MAX = 4_096;
/** Deeper than any naming scheme; a loop is not possible, as links are not followed. */
const DEPTH_MAX = 32;
const STASH_LOG_BYTES_MAX = 4 * 2 ** 20;
/** Who stashes more than this has forgotten what is in them. */
const STASHED_MAX = 100;

/** SHA-1 or SHA-256. */
const isId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** As git's own rules (git-check-ref-format), a little narrower: only below `refs/`. */
export const isRefName = (name: string): boolean =>
  name.length < 1_024 &&
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  /^refs\/[^\0-\x20\x7f~^:?*[\\]+$/.test(name) &&
  !/\/\/|\.\.|@\{|\/\.|\/$|\.$|\.lock(?:\/|$)/.test(name);

/** @throws WorkspaceError when they cannot be read, or are too many: then nothing can be said of them. */
export async function readRefs(git: GitDir): Promise<Refs> {
  await refuseReftable(git);
  const all = new Map<string, string>();
  packed(await readReal(join(git.commonDir, "packed-refs"), PACKED_BYTES_MAX), all);
  await loose(git.commonDir, all);
  const said = text(await readReal(join(git.gitDir, "HEAD"), LOOSE_BYTES_MAX));
  const branch = /^ref: (.+)$/.exec(said)?.[1] ?? null;
  const head = branch === null ? said : (all.get(branch) ?? "");
  return {
    branch: branch !== null && isRefName(branch) ? branch : null,
    head: isId(head) ? head : null,
    all,
    stashed: stashed(await readReal(join(git.commonDir, "logs/refs/stash"), STASH_LOG_BYTES_MAX)),
  };
}

/** Its refs are not files of this form: silence would mean that there are none. */
async function refuseReftable({ commonDir }: GitDir): Promise<void> {
  const isReftable = (await entriesOf(commonDir)).some(({ name }) => name === "reftable");
  if (!isReftable) return;
  throw new WorkspaceError("workspace_error", `the repository ${commonDir} keeps its refs as a reftable`, {
    hint: "Baton reads only the usual files: make the clone without --ref-format=reftable.",
  });
}

const text = (content: Buffer | null): string => content?.toString("utf8").trimEnd() ?? "";

function packed(content: Buffer | null, all: Map<string, string>): void {
  for (const line of text(content).split("\n")) {
    const space = line.indexOf(" ");
    add(line.slice(space + 1), line.slice(0, space), all);
  }
}

/** Loose refs win over packed ones. */
async function loose(commonDir: string, all: Map<string, string>): Promise<void> {
  let left = REFS_MAX;
  const queue = ["refs"];
  for (const name of queue) {
    const entries = await entriesOf(join(commonDir, name), left);
    left -= entries.length;
    for (const entry of entries) {
      const full = `${name}/${entry.name}`;
      if (entry.isDirectory() && full.split("/").length < DEPTH_MAX) queue.push(full);
      // A symbolic ref (`refs/remotes/origin/HEAD`) has no id and names another one that is here as well.
      if (entry.isFile()) add(full, text(await readReal(join(commonDir, full), LOOSE_BYTES_MAX)), all);
    }
  }
}

/** None when it is not there. @throws WorkspaceError when it is a link: behind it are other repositories' refs. */
async function entriesOf(directory: string, max = REFS_MAX): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  const opened = await openDirectory(directory).catch((cause: unknown) => {
    if (cause instanceof Error && errorCode(cause.cause) === "ENOENT") return null;
    throw cause;
  });
  if (opened !== null)
    for await (const entry of opened) {
      entries.push(entry);
      if (entries.length > max) throw tooMany();
    }
  return entries;
}

const tooMany = (): WorkspaceError =>
  new WorkspaceError("workspace_error", `the repository has more than ${REFS_MAX} refs`, {
    hint: "Remove the ones nobody needs: git for-each-ref shows them.",
  });

function add(name: string, id: string, all: Map<string, string>): void {
  if (!isId(id) || !isRefName(name)) return;
  all.set(name, id);
  if (all.size > REFS_MAX) throw tooMany();
}

/** The log's last line is the stash itself. */
const stashed = (log: Buffer | null): readonly string[] =>
  text(log)
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter(isId)
    .reverse()
    .slice(1, 1 + STASHED_MAX);
