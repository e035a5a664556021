/**
 * Killing a sandboxed command leaves empty directories in the workspace, where the sandbox had mounted something. An
 * empty `.git` makes a later clone into the directory fail.
 */
import { existsSync, lstatSync, rmdirSync } from "node:fs";
import { join } from "node:path";

const STRAYS = [".git", ".agents", ".codex", ".aws"];

/** What appears under these names later, and is empty, is nobody's work. */
export interface Strays {
  /** Those that were not there. */
  readonly paths: readonly string[];
  readonly workspace: string;
  /** Which directory that was: at the end of a run another one may stand in its place, or a link to one. */
  readonly identity: string | null;
}

/** Those not there now. */
export const missingStrays = (workspace: string): Strays => ({
  paths: STRAYS.map((name) => join(workspace, name)).filter((path) => !existsSync(path)),
  workspace,
  identity: identityOf(workspace),
});

/** Removes those that are empty directories, if the workspace is still the directory that it was. */
export function removeStrays({ paths, workspace, identity }: Strays): void {
  // Hardly ever there, and to be refused costs more than to look.
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0 || identity === null || identityOf(workspace) !== identity) return;
  for (const path of there) {
    try {
      rmdirSync(path); // refuses what is not a directory, or not empty
    } catch {
      // With something in it: nothing to remove.
    }
  }
}

/** Of the directory itself, not of what a link leads to; null when there is none. */
function identityOf(path: string): string | null {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat?.isDirectory() === true ? `${stat.dev}:${stat.ino}` : null;
}
