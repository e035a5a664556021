/** Files that this user may not read: said in one sentence, with whose they are and how to do the same as their owner. */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CliError, EXIT } from "./exit.ts";

/** Also for what lies in a directory that is closed. A file that is not there is none of them. @throws CliError */
export function refuseForbidden(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const forbidden = forbiddenBy(error);
    if (forbidden !== null) throw forbidden;
  }
}

/** The same of a system's error that nobody expected; null when it is of another kind. */
export function forbiddenBy(error: unknown): CliError | null {
  if (!(error instanceof Error && "code" in error && "path" in error)) return null;
  const { code, path } = error;
  if ((code !== "EACCES" && code !== "EPERM") || typeof path !== "string") return null;
  const words = forbiddenWords(path, ownerOf(path), process.getuid?.() ?? null, nameOf);
  return new CliError(EXIT.failure, words);
}

/** `name`: of a user, as the system's list has it. */
export function forbiddenWords(
  path: string,
  owner: number | null,
  me: number | null,
  name: (uid: number) => string | null,
): string {
  const what = `${path} cannot be read or written by this user`;
  if (me === null || owner === null) return `${what}: run baton as the user whose daemon it is.`;
  const who = `${what} (${name(me) ?? me})`;
  if (owner === me)
    return `${who}: it is in a place of this user's own whose mode keeps everybody out. Give it back what it needs: chmod u+rwX.`;
  const whose = name(owner);
  // sudo takes a number for a user without a name.
  return `${who}, it belongs to ${whose ?? `user ${owner}`}: run the same as that user, \`sudo -u ${whose ?? `'#${owner}'`} baton ...\`.`;
}

/** Of the file, or of the directory that hides it. */
function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return path === dirname(path) ? null : ownerOf(dirname(path));
  }
}

function nameOf(uid: number): string | null {
  try {
    const users = readFileSync("/etc/passwd", "utf8").split("\n");
    const [name = null] = users.map((line) => line.split(":")).find(([, , id]) => id === String(uid)) ?? [];
    return name;
  } catch {
    return null;
  }
}
