/** What is mounted in a directory is not the directory's: deleting would go on in it, where it is of the same disk. */
import { readFile } from "node:fs/promises";
import { WorkspaceError } from "../port.ts";

/** @throws WorkspaceError when something is mounted at `path` or below. Only Linux can say; elsewhere nothing is said. */
export async function refuseMounts(path: string): Promise<void> {
  if (process.platform !== "linux") return;
  // Missing where /proc is hidden: then nobody can mount anything either.
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  const mounted = mountPoints(table).find((point) => point === path || point.startsWith(`${path}/`));
  if (mounted === undefined) return;
  throw new WorkspaceError(
    "workspace_error",
    `the workspace ${path} cannot be removed: ${mounted} is mounted in it`,
    {
      hint: `Unmount it (umount ${mounted}); the removal is tried again.`,
    },
  );
}

/** Of a mountinfo table; spaces and the like are written as octal numbers there (proc(5)). */
export const mountPoints = (table: string): readonly string[] =>
  table
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point !== "")
    .map((point) =>
      point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
