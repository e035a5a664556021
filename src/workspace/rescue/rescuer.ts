/**
 * Saves the work in a workspace before it is removed: commits that are on no remote as bundles, changed and new files as
 * copies (ignored ones are not work), and a manifest. A rescue is there as a whole or not at all: it is made under
 * another name and renamed when all of it is on the disk.
 */
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FactBody, Instant } from "../../domain/domain.ts";
import { withDeadline } from "../../processes/processes.ts";
import { workspaceKey } from "../key.ts";
import { type Beginning, beginningAt, NOTHING } from "./beginning.ts";
import { fingerprintOf, survey } from "../git/git.ts";
import { finish } from "./finish.ts";
import type { Manifest } from "./manifest.ts";
import { gather } from "./work.ts";
import { listRescues } from "./rescues.ts";
import { edgeError, makingPrefix } from "../files/files.ts";
import { WorkspaceError, type WorkspaceFor } from "../port.ts";

type Report = (fact: FactBody) => void;

/** Called before a workspace is removed. */
export interface Rescuer {
  /**
   * Saves what is nowhere else and was not there from the beginning, and reports it as facts; nothing to save is fine.
   * @throws WorkspaceError when something could not be saved, or not before the signal: the workspace must then stay.
   */
  rescue(order: RescueOrder, report: Report): Promise<void>;

  /** What there is before the first agent; null when it cannot be told. `path` is a real path. */
  look(path: string, signal: AbortSignal): Promise<Beginning | null>;
}

export interface RescuePlace {
  /** `<state directory>/rescue`; made when it is needed. */
  readonly directory: string;
  readonly now: () => Instant;
}

/** Bundling a large repository takes a minute; a disk that needs more than this is broken, and the workspace stays. */
const RESCUE_MAX_MS = 10 * 60_000;

/** A first run waits for it; a clone that takes longer to look at is saved as a whole one day. */
const LOOK_MAX_MS = 60_000;

/** The rescuer of a daemon. */
export const createRescuer = (place: RescuePlace): Rescuer => ({
  look: (path, signal) => {
    const look = async (until: AbortSignal): Promise<Beginning> =>
      beginningAt(path, await survey(path, { scratch: place.directory, signal: until }));
    return withDeadline(LOOK_MAX_MS, signal, look).catch(() => null);
  },
  rescue: async (order, report) => {
    const { path } = order;
    const saved = await rescue(order, place);
    if (saved === null) return;
    const { manifest, to, again } = saved;
    // It was saved and told before: then the workspace could not be removed.
    if (again) return;
    const commits = manifest.repositories.reduce((sum, one) => sum + one.commits, 0);
    report({
      type: "workspace_rescued",
      path,
      to,
      files: manifest.files.length + manifest.repositories.reduce((sum, one) => sum + one.deleted.length, 0),
      commits,
      bytes: manifest.bytes,
    });
    const left = leftOutWords(manifest);
    if (left !== null)
      report({ type: "warning", message: `${to} does not hold everything of ${path}: ${left}` });
  },
});

export interface Saved {
  readonly manifest: Manifest;
  /** The directory of this rescue. */
  readonly to: string;
  /** It was there already, of the very same state. */
  readonly again: boolean;
}

export interface RescueOrder {
  readonly of: Pick<WorkspaceFor, "identifier" | "issueId">;
  /** A real path. */
  readonly path: string;
  readonly why: string;
  /** What was there from the beginning; absent or null = nobody knows. */
  readonly beginning?: Beginning | null | undefined;
  /** When it is given up. Nothing is left of it then. */
  readonly signal?: AbortSignal | undefined;
}

/** Null when there is nothing to save. @throws WorkspaceError */
export const rescue = (order: RescueOrder, place: RescuePlace): Promise<Saved | null> =>
  withDeadline(RESCUE_MAX_MS, order.signal, (signal) => rescueUntil(signal, order, place));

async function rescueUntil(
  signal: AbortSignal,
  order: RescueOrder,
  { directory, now }: RescuePlace,
): Promise<Saved | null> {
  const making = join(directory, `${makingPrefix}${randomUUID()}`);
  try {
    signal.throwIfAborted();
    const root = order.path;
    const found = await survey(root, { scratch: directory, signal });
    if (found.repositories.length === 0 && found.loose.length === 0) return null;
    const print = await fingerprintOf(root, found);
    const key = workspaceKey(order.of.identifier);
    const before = (await listRescues(directory, `${key}-`)).find(
      ({ manifest }) => manifest.identifier === order.of.identifier && manifest.fingerprint === print,
    );
    if (before !== undefined) return { ...before, again: true };
    await mkdir(making, { recursive: true, mode: 0o700 });
    const saved = await gather(root, found, making, order.beginning ?? NOTHING, signal);
    if (saved === null) return null;
    const manifest = { ...describedBy(order, root, now(), key), fingerprint: print, ...saved };
    return { ...(await finish(making, directory, manifest, signal)), again: false };
  } catch (cause) {
    throw order.signal?.aborted === true ? gaveUp(order.path, cause) : notSaved(order.path, cause);
  } finally {
    // What cannot be removed now goes with the next pruning; the error that counts is the one above.
    await rm(making, { recursive: true, force: true }).catch(() => {});
  }
}

const describedBy = ({ of, why }: RescueOrder, workspace: string, at: Instant, key: string) => {
  const rescued = new Date(at).toISOString();
  return {
    version: 1 as const,
    id: `${key}-${rescued.slice(0, 19).replaceAll(/[-:]/g, "")}Z`,
    identifier: of.identifier,
    issue_id: of.issueId,
    workspace,
    rescued_at: rescued,
    why,
  };
};

const gaveUp = (path: string, cause: unknown): WorkspaceError =>
  new WorkspaceError(
    "workspace_error",
    `the work in ${path} was not saved before Baton had to stop, so it stays: the next start saves it and removes it`,
    { hint: "With a longer shutdown.grace_ms there is more time for it.", cause },
  );

function notSaved(path: string, cause: unknown): WorkspaceError {
  const { message, hint } = edgeError("it", cause);
  return new WorkspaceError(
    "workspace_error",
    `the work in ${path} could not be saved, so it stays: ${message}`,
    {
      hint: hint ?? "Push or copy what is needed there, then remove the directory by hand.",
      cause,
    },
  );
}

/** How many names a line of the log takes. */
const LEFT_OUT_NAMED_MAX = 3;

/** What was left out, in words; null when nothing was. */
export function leftOutWords({
  left_out,
  left_out_more,
}: Pick<Manifest, "left_out" | "left_out_more">): string | null {
  if (left_out.length === 0) return null;
  const named = left_out.slice(0, LEFT_OUT_NAMED_MAX).map(({ path, why }) => `${path} (${why})`);
  const more = left_out.length + left_out_more - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""} left out`;
}
