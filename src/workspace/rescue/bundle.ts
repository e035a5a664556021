/**
 * Commits that are on no remote, as a git bundle. It is made to be complete by itself: what it builds on is part of it as
 * one state without history, marked as a shallow boundary, so that a restored repository needs neither the remote nor its
 * size. Where that is not possible (a clone without its blobs) it holds the new commits only, and says what they need.
 */
import { rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesText } from "../../domain/domain.ts";
import { type Refs, type Shadow, type Surveyed, withShadow } from "../git/git.ts";
import { refuseWithoutRoom } from "./room.ts";
import { WorkspaceError } from "../port.ts";

export interface Bundle {
  /** On no remote-tracking ref. */
  readonly commits: number;
  /** Refs of the bundle. `headRef` is always one of them, when HEAD itself is not on a remote. */
  readonly refs: readonly string[];
  /** To be written to `shallow` before it is fetched from. */
  readonly shallow: readonly string[];
  /** Commits that must be there already; none when it is complete. */
  readonly needs: readonly string[];
  readonly bytes: number;
}

/** Under this name HEAD's commit is in the bundle, whether a branch names it or not. */
export const headRef = "refs/rescue/head";
/** Of what was there from the beginning. */
const beforeRef = "refs/remotes/baton-before/";
const stashRef = "refs/rescue/stash-";

/** A large project's state with pictures. One issue's work that is larger is not for a state directory. */
export const BUNDLE_BYTES_MAX = 2 * 2 ** 30;

/**
 * Writes the bundle to the file `to`, at most `room` bytes; null when every commit is on a remote, or can be reached from
 * `before`: what the refs named when the workspace was made (tags of a clone are on no branch). @throws WorkspaceError
 */
export async function bundleUnpushed(
  { git, refs }: Surveyed,
  to: string,
  room: number,
  before: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Bundle | null> {
  const own = new Map([...candidates(refs, git.inside)].filter(([, id]) => !before.has(id)));
  if (own.size === 0) return null;
  return withShadow(git, refs, dirname(to), async (shadow) => {
    const remote = new Map([
      ...[...refs.all].filter(([name]) => name.startsWith("refs/remotes/")),
      // As if a remote had them.
      ...named(await present(shadow, before, signal)),
    ]);
    await shadow.set(new Map([...own, ...remote]), shadow.shallow);
    const { commits, boundary } = await unpushed(shadow, signal);
    if (commits.size === 0) return null;
    const tips = await tipsOf(shadow, [...own.keys()], signal);
    const wanted = new Map([...own].filter(([name]) => commits.has(tips.get(name) ?? "")));
    const more = { commits: commits.size, refs: [...wanted.keys()] };
    const shallow = new Set([...shadow.shallow, ...boundary]);
    await shadow.set(wanted, shallow);
    try {
      const bytes = await write(shadow, to, [], room, signal);
      return { ...more, shallow: [...shallow], needs: [], bytes };
    } catch (cause) {
      if (boundary.size === 0 || signal.aborted) throw cause;
      await rm(to, { force: true });
      await shadow.set(new Map([...wanted, ...remote]), shadow.shallow);
      const bytes = await write(shadow, to, ["--not", "--remotes"], room, signal);
      return { ...more, shallow: [...shadow.shallow], needs: [...boundary], bytes };
    }
  });
}

const named = (ids: Iterable<string>): readonly (readonly [string, string])[] =>
  [...ids].map((id, index) => [`${beforeRef}${index}`, id] as const);

/** Those of the commits, and of what tags name, that are still there. Of a branch that was written anew they need not be. */
async function present(
  shadow: Shadow,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (ids.size === 0) return [];
  await shadow.set(new Map(named(ids)), shadow.shallow);
  const args = ["rev-list", "--no-walk", "--ignore-missing", "--remotes"];
  return shadow.lines({ args, signal, separator: "\n" });
}

/** Of a repository that stays where it is, only what the checkout itself stands on. */
function candidates(refs: Refs, inside: boolean): Map<string, string> {
  const named = [...refs.all].filter(([name]) =>
    inside ? /^refs\/(?:heads|tags|notes)\/|^refs\/stash$/.test(name) : name === refs.branch,
  );
  const head = refs.head === null ? [] : [[headRef, refs.head] as const];
  const stashed = inside ? refs.stashed.map((id, index) => [`${stashRef}${index + 1}`, id] as const) : [];
  return new Map([...named, ...head, ...stashed]);
}

const notRemote = ["--exclude=refs/remotes/*", "--all"];

/** The commits on no remote, and those that they build on. */
async function unpushed(
  shadow: Shadow,
  signal: AbortSignal,
): Promise<{ readonly commits: ReadonlySet<string>; readonly boundary: ReadonlySet<string> }> {
  const args = ["rev-list", "--boundary", ...notRemote, "--not", "--remotes"];
  const commits = new Set<string>();
  const boundary = new Set<string>();
  await shadow.each({ args, signal, separator: "\n" }, (line) => {
    if (line.startsWith("-")) boundary.add(line.slice(1));
    else commits.add(line);
  });
  return { commits, boundary };
}

/** The commit each ref leads to; a tag is an object of its own. */
async function tipsOf(
  shadow: Shadow,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const tips = new Map<string, string>();
  const wanted = new Set(names);
  await shadow.each({ args: ["show-ref", "--dereference"], signal, separator: "\n" }, (line) => {
    const space = line.indexOf(" ");
    const name = line.slice(space + 1).replace(/\^\{\}$/, "");
    // A tag comes twice, the second time with what it is a tag of.
    if (wanted.has(name)) tips.set(name, line.slice(0, space));
  });
  return tips;
}

async function write(
  shadow: Shadow,
  to: string,
  without: readonly string[],
  room: number,
  signal: AbortSignal,
): Promise<number> {
  const what = [...notRemote, ...without];
  const [size = ""] = await shadow.lines({
    args: ["rev-list", "--disk-usage", "--objects", ...what],
    signal,
    separator: "\n",
  });
  if (Number(size) > BUNDLE_BYTES_MAX)
    throw new WorkspaceError(
      "workspace_error",
      `its commits take ${bytesText(Number(size))}, and at most ${bytesText(BUNDLE_BYTES_MAX)} are saved`,
      { hint: "Push them, then the workspace can be removed." },
    );
  refuseWithoutRoom(Number(size), room);
  await shadow.lines({ args: ["bundle", "create", "--quiet", to, ...what], signal, separator: "\n" });
  return (await stat(to)).size;
}
