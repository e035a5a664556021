/** Programs on a disk of their own, small and in memory, so that filling it harms nobody. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Figures } from "./figures.ts";

export interface SmallDisk {
  readonly bytes: number;
  /** Files and directories that fit on it. */
  readonly files: number;
}

const run = promisify(execFile);
const TIMEOUT_MS = 600_000;

/** Whether this machine lets its users mount (a container may not). */
export const mayMount = (): Promise<boolean> =>
  run("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).then(
    () => true,
    () => false,
  );

/**
 * Runs `program FOLDER disk|folder ...args` and returns the figures that it prints: `disk` says that the folder is a disk
 * of this size, seen by the program alone and gone with it.
 */
export async function onSmallDisk(
  program: string,
  { bytes, files }: SmallDisk,
  mounted: boolean,
  args: readonly string[],
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "faults-disk-"));
  try {
    const node = [process.execPath, program, folder, mounted ? "disk" : "folder", ...args];
    const mount = `mount -t tmpfs -o size=${bytes},nr_inodes=${files} tmpfs "$0" && exec "$@"`;
    const [command = "", ...rest] = mounted ? ["unshare", "-rm", "sh", "-c", mount, folder, ...node] : node;
    const { stdout, stderr } = await run(command, rest, { timeout: TIMEOUT_MS });
    process.stderr.write(stderr);
    return JSON.parse(stdout) as Figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
