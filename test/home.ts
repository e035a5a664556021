import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * A home folder that is nobody's, empty, for whatever starts agents and hooks: they come out of login shells, and a
 * person's profile may take a second, wait for a lock that nobody holds any more, or print.
 */
export function nobodysHome(): string {
  const home = join(import.meta.dirname, "../node_modules/.cache/home");
  mkdirSync(home, { recursive: true });
  return home;
}
