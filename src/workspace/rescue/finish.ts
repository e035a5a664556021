/** The last step of a rescue: from a directory that is being filled to one that is there for good. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../processes/processes.ts";
import { type Manifest, manifestName, manifestText } from "./manifest.ts";
import type { Rescued } from "./rescues.ts";
import { errorCode } from "../files/files.ts";
import { WorkspaceError } from "../port.ts";

/** Two rescues of one issue in one second: a few, or the clock stands still. */
const NAMES_MAX = 100;

/**
 * Gives the directory `making` its name. All of it is on the disk before that, for the workspace goes next.
 * @throws when it cannot be written.
 */
export async function finish(
  making: string,
  directory: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<Rescued> {
  for (let n = 1; n <= NAMES_MAX; n++) {
    const id = n === 1 ? manifest.id : `${manifest.id}-${n}`;
    const named = { ...manifest, id };
    await writeFile(join(making, manifestName), manifestText(named), { mode: 0o600 });
    await flush(making, signal);
    signal.throwIfAborted();
    try {
      // A directory that holds something is not replaced.
      await rename(making, join(directory, id));
      await flush(directory, null);
      return { manifest: named, to: join(directory, id) };
    } catch (cause) {
      if (errorCode(cause) !== "ENOTEMPTY" && errorCode(cause) !== "EEXIST") throw cause;
    }
  }
  throw new WorkspaceError("workspace_error", `${directory} has ${NAMES_MAX} rescues named ${manifest.id}`);
}

const FLUSH_MAX_MS = 2 * 60_000;

/** The whole file system at once: cheaper than a file at a time, and it takes the directories along. */
async function flush(path: string, signal: AbortSignal | null): Promise<void> {
  const args = process.platform === "linux" ? ["--file-system", "--", path] : [];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  const { end, output } = await runCommand({
    file: "sync",
    args,
    cwd: "/",
    env,
    timeoutMs: FLUSH_MAX_MS,
    signal,
  });
  if (end.type === "exited" && end.code === 0) return;
  throw new WorkspaceError(
    "workspace_error",
    `sync ${path}: ${output === "" ? JSON.stringify(end) : output}`,
  );
}
