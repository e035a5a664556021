import { chmod, lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unlock } from "../../../../src/workspace/files/unlock.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-unlock-")));
  await mkdir(join(base, "tree", "a", "b"), { recursive: true });
  await mkdir(join(base, "outside", "c"), { recursive: true });
  await writeFile(join(base, "tree", "a", "file"), "", { mode: 0o400 });
  await symlink(join(base, "outside"), join(base, "tree", "a", "link"));
  await chmod(join(base, "outside", "c"), 0o500);
  await chmod(join(base, "outside"), 0o500);
  // Inside first, so that it can be done.
  for (const path of ["tree/a/b", "tree/a", "tree"]) await chmod(join(base, path), 0o000);
});
afterEach(async () => {
  for (const path of ["outside", "outside/c", "tree", "tree/a", "tree/a/b"])
    await chmod(join(base, path), 0o700).catch(() => {});
  await rm(base, { recursive: true, force: true });
});

const live = new AbortController().signal;
const modes = async (...paths: readonly string[]): Promise<readonly string[]> =>
  Promise.all(paths.map(async (path) => ((await lstat(join(base, path))).mode & 0o777).toString(8)));

test("directories of all depths are opened for their owner; files stay as they are", async () => {
  await unlock(join(base, "tree"), live);
  expect(await modes("tree", "tree/a", "tree/a/b", "tree/a/file")).toEqual(["700", "700", "700", "400"]);
});

test("nothing behind a link is touched, neither below the root nor in its place", async () => {
  await unlock(join(base, "tree"), live);
  await symlink("outside", join(base, "way"));
  await unlock(join(base, "way"), live);
  expect(await modes("outside", "outside/c")).toEqual(["500", "500"]);
});

test("what is not there is no trouble, and when time is up nothing more is done", async () => {
  await unlock(join(base, "none"), live);
  await unlock(join(base, "tree"), AbortSignal.abort());
  expect(await modes("tree")).toEqual(["0"]);
});
