/**
 * What would make git wait for ever or look outside of the workspace, found before git is run there: it opens some files
 * without asking what they are. One program looks (it goes by directories it holds, never through a link), names come out.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { runCommand } from "../../processes/processes.ts";
import { errorCode, type Held, holding, holdingIn } from "../files/files.ts";
import { type GitDir, pointsToStranger } from "./git-dir.ts";
import { Records } from "./records.ts";
import { WorkspaceError } from "../port.ts";

/** As long as git itself may take for such a tree. */
const FIND_MAX_MS = 2 * 60_000;

/** So many names are looked at. Whoever has more of them works like that, and is refused for the first all the same. */
const FOUND_MAX = 10_000;

/** Git reads the whole of such a file into memory. A long one has some kilobytes. */
const RULES_BYTES_MAX = 2 ** 20;

/** Files of a checkout that git opens by their name. */
const gitsFiles = [".gitignore", ".gitattributes", ".gitmodules"];

/**
 * `workspace` is a real path; `known` the repositories found in it so far.
 * @throws WorkspaceError that names the first snare.
 */
export async function refuseSnares(
  workspace: string,
  known: readonly GitDir[],
  signal: AbortSignal,
): Promise<void> {
  const rules = gitsFiles.flatMap((name, index) => [...(index === 0 ? [] : ["-o"]), "-name", name]);
  const long = ["(", ...rules, ")", "-not", "-type", "l", "-size", `+${RULES_BYTES_MAX / 512}`];
  const pointers = ["-name", ".git", "-not", "-type", "d"];
  const found = await holding(workspace, (held) =>
    find(held, ["-xdev", "(", "-type", "p", "-o", ...pointers, "-o", ...long, ")", "-print0"], signal),
  );
  for (const path of found) {
    const why = await whyASnare(workspace, path, known);
    if (why !== null) throw snare(join(workspace, path), why);
  }
}

async function whyASnare(workspace: string, path: string, known: readonly GitDir[]): Promise<string | null> {
  const found = await lstat(join(workspace, path)).catch(() => null);
  const name = basename(path);
  if (found?.isFIFO() === true)
    return gitsFiles.includes(name) || path.split("/").includes(".git") ? "is a named pipe" : null;
  if (gitsFiles.includes(name)) return `is longer than ${RULES_BYTES_MAX} bytes`;
  const directory = dirname(join(workspace, path));
  // The workspace's own is judged by who asks for it.
  if (directory === workspace || !(await pointsToStranger(directory, workspace, known))) return null;
  return "leads to a repository outside of the workspace";
}

/**
 * `objects` is that directory. @throws WorkspaceError when something in it is neither file nor directory: git opens what
 * it finds under an object's name.
 */
export async function refuseOddObjects(objects: Held): Promise<void> {
  const top = await oddIn(objects, "");
  // Two letters each, `pack` and `info`; in anything else git does not look.
  for (const name of top.slice(0, OBJECT_DIRECTORIES_MAX)) await oddIn(objects, name);
}

/** 256, and two by other names; the rest is for what somebody else put there. */
const OBJECT_DIRECTORIES_MAX = 300;

/** The directories in there. */
async function oddIn(objects: Held, name: string): Promise<readonly string[]> {
  const directories: string[] = [];
  for (const entry of await listed(objects, name)) {
    if (entry.isDirectory()) directories.push(entry.name);
    else if (!entry.isFile())
      throw snare(join(objects.path, name, entry.name), "is a link, a pipe or a device");
  }
  return directories;
}

/** A `git gc` may remove a directory meanwhile. */
const listed = (objects: Held, name: string): Promise<readonly Dirent[]> =>
  name === ""
    ? readdir(objects.here, { withFileTypes: true })
    : holdingIn(objects, name, ({ here }) => readdir(here, { withFileTypes: true })).catch(
        (cause: unknown) => {
          if (cause instanceof Error && errorCode(cause.cause) === "ENOENT") return [];
          throw cause;
        },
      );

const snare = (path: string, why: string): WorkspaceError =>
  new WorkspaceError("workspace_error", `${path} ${why}, so git is not run there`, {
    hint: "Look at it, and remove it by hand if nobody needs it.",
  });

/** Paths from the directory. @throws WorkspaceError when it cannot be looked through in time. */
async function find(
  directory: Held,
  expression: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  const records = new Records("\0", (path) => {
    if (found.length < FOUND_MAX) found.push(path.replace(/^\.\//, ""));
  });
  const { end, output } = await runCommand({
    file: "find",
    args: ["-P", ".", ...expression],
    cwd: directory.here,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" },
    timeoutMs: FIND_MAX_MS,
    signal,
    onStdout: (chunk) => records.add(chunk),
  });
  records.end();
  // It also fails for a directory that may not be read, or that went meanwhile: what it saw is what counts.
  if (end.type === "exited" && end.code <= 1) return found;
  throw new WorkspaceError(
    "workspace_error",
    `find in ${directory.path}: ${output === "" ? JSON.stringify(end) : output.split("\n").slice(0, 3).join("; ")}`,
    { hint: "Look at the directory: it may have too many files, or its disk a fault." },
  );
}
