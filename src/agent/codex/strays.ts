/**
 * Killing a sandboxed command leaves empty directories in the workspace, where the sandbox had mounted something. An
 * empty `.git` makes a later clone into the directory fail.
 */
import { existsSync, rmdirSync } from "node:fs";
import { join } from "node:path";

const STRAYS = [".git", ".agents", ".codex", ".aws"];

/** Those not there now: what appears under these names later, and is empty, is nobody's work. */
export const missingStrays = (workspace: string): readonly string[] =>
  STRAYS.map((name) => join(workspace, name)).filter((path) => !existsSync(path));

/** Removes those that are empty directories. */
export function removeStrays(paths: readonly string[]): void {
  for (const path of paths) {
    // Hardly ever there, and to be refused costs more than to look.
    if (!existsSync(path)) continue;
    try {
      rmdirSync(path); // refuses what is not a directory, or not empty
    } catch {
      // With something in it: nothing to remove.
    }
  }
}
