/**
 * Removing directories that somebody else filled. A directory leaves its place by one rename, so nobody meets it half
 * removed; what is then deleted has a name nobody knows.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { Excerpt } from "./excerpt.ts";
import { edgeError, errorCode, ownDirectory } from "./safe-path.ts";

const trashName = ".trash";

/** A large checkout with its dependencies takes seconds; a disk that needs more than this is broken. */
const removalMaxMs = 10 * 60_000;

/** Leftovers of an earlier process are looked at once; they may hold up the first run this long, the rest waits. */
const leftoversMaxMs = 10_000;
const leftoversMax = 100;

/** A line or two is shown; `rm` may write one for every file it could not remove. */
const saidMaxBytes = 4 * 1024;

/** Tells what this process is removing from what an earlier one left. */
const ours = `${randomUUID()}.`;
let count = 0;

/**
 * Renames the directory `<root>/<key>` out of the way and answers its new path; null when there is none.
 * @throws WorkspaceError
 */
export async function moveToTrash(root: string, key: string): Promise<string | null> {
  const place = join(await ownDirectory(root, trashName), `${ours}${++count}`);
  try {
    // A link at `key` would itself be renamed, and below be removed as the link it is.
    await rename(join(root, key), place);
    return place;
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return null;
    throw edgeError(`the workspace ${join(root, key)} cannot be removed`, cause);
  }
}

/**
 * Deletes what was moved to the trash, read-only directories included. Never rejects: answers what is wrong, null
 * when all is gone. Programs of the system do it: they hold on to directories instead of names, so a link swapped in
 * while they work leads nowhere (Node's own `rm` goes by names), and no depth is too deep for them.
 */
export async function deleteTrashed(place: string, timeoutMs = removalMaxMs): Promise<string | null> {
  const first = await run("rm", [...removeFlags, "--", place], timeoutMs);
  if (first === null) return null;
  // Package caches make their directories read-only, which stops everybody but root.
  await run("chmod", ["-R", "u+rwx", "--", place], timeoutMs);
  return run("rm", [...removeFlags, "--", place], timeoutMs);
}

/** Something mounted inside a workspace is not the workspace's. */
const removeFlags = process.platform === "darwin" ? ["-rfx"] : ["-rf", "--one-file-system"];

/** Deletes what an earlier process did not get to delete: a bounded part, the rest next time. @throws WorkspaceError */
export async function deleteLeftovers(root: string, now: () => number): Promise<void> {
  const endBy = now() + leftoversMaxMs;
  const trash = await ownDirectory(root, trashName);
  const names = (await readdir(trash)).filter((name) => !name.startsWith(ours)).slice(0, leftoversMax);
  for (const name of names) {
    const leftMs = endBy - now();
    if (leftMs <= 0) return;
    await deleteTrashed(join(trash, name), leftMs);
  }
}

/**
 * Runs a program of the system to its end; null when all went well, else what it said. Not by `runCommand`: these have
 * neither children nor hooks' ways, and a board with many short tickets spends its time on starting programs.
 */
function run(file: string, args: readonly string[], timeoutMs: number): Promise<string | null> {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  const child = spawn(file, args, {
    cwd: "/",
    env,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: Math.ceil(timeoutMs), // a whole number, and zero would be no limit
    killSignal: "SIGKILL",
  });
  const said = new Excerpt(saidMaxBytes);
  child.stderr.on("data", (chunk: Buffer) => said.add(chunk));
  const { promise, resolve } = Promise.withResolvers<string | null>();
  child.once("error", (error) => resolve(`${file}: ${error.message}`));
  child.once("close", (code, signal) =>
    resolve(code === 0 ? null : whyOf(file, said.text(), signal ?? code)),
  );
  return promise;
}

const whyOf = (file: string, said: string, end: string | number | null): string =>
  `${file}: ${said === "" ? `ended with ${end}` : said.split("\n").slice(0, 3).join("; ")}`;
