import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holding } from "../../../../src/workspace/files/held.ts";
import {
  type Entry,
  findRoot,
  holdingOwn,
  inspect,
  isForeign,
  openRoot,
} from "../../../../src/workspace/files/safe-path.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-safe-")));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const inspected = (key: string): Promise<Entry> => holding(base, (root) => inspect(root, key));
const modeOf = async (name: string): Promise<number> => (await lstat(join(base, name))).mode & 0o777;

test("a root in a shared directory must belong to the daemon's user or to root", () => {
  expect(isForeign(1001, 0o41777, 1000)).toBe(true);
  expect(isForeign(1000, 0o41777, 1000)).toBe(false);
  expect(isForeign(0, 0o41777, 1000)).toBe(false);
  expect(isForeign(1001, 0o40755, 1000)).toBe(false);
});

test("a root is made for the daemon's user alone, and one that is there is used as it is, by its real path", async () => {
  expect(await openRoot(join(base, "a", "root"))).toBe(join(base, "a", "root"));
  expect(await modeOf("a/root")).toBe(0o700);
  await mkdir(join(base, "open"), { mode: 0o755 });
  await symlink("open", join(base, "link"));
  expect(await openRoot(join(base, "link"))).toBe(join(base, "open"));
  expect(await modeOf("open")).toBe(0o755);
});

test("looking for a root makes none: there is one, or null, or an error that names it", async () => {
  expect(await findRoot(join(base, "none"))).toBeNull();
  expect(await readdir(base)).toEqual([]);
  await writeFile(join(base, "file"), "");
  await expect(findRoot(join(base, "file", "root"))).rejects.toMatchObject({
    kind: "workspace_error",
    message: expect.stringContaining(join(base, "file", "root")),
  });
  await expect(openRoot(join(base, "file", "root"))).rejects.toThrow("cannot be used");
});

describe("a workspace's path", () => {
  test.each([".", "..", "../x", "a/b", "/etc", ".trash", "a/", ""])(
    "%j is not directly under the root, and nobody looks there",
    async (key) => {
      await mkdir(join(base, ".trash"));
      await mkdir(join(base, "a", "b"), { recursive: true });
      await expect(inspected(key)).rejects.toThrow("is not directly under the workspace root");
    },
  );

  test("is missing, or the very directory that is there", async () => {
    expect(await inspected("MT-1")).toEqual({ type: "missing" });
    await mkdir(join(base, "MT-1"));
    const { dev, ino } = await lstat(join(base, "MT-1"), { bigint: true });
    expect(await inspected("MT-1")).toEqual({ type: "directory", identity: { dev, ino } });
  });

  test("is refused with the name of what took its place", async () => {
    await symlink(base, join(base, "link"));
    await symlink("nowhere", join(base, "dangling"));
    await writeFile(join(base, "file"), "");
    execFileSync("mkfifo", [join(base, "pipe")]);
    const server = createServer().listen(join(base, "socket"));
    await once(server, "listening");
    for (const [key, what] of [
      ["link", "a symbolic link"],
      ["dangling", "a symbolic link"],
      ["file", "a file"],
      ["pipe", "a named pipe"],
      ["socket", "a socket"],
    ] as const)
      await expect(inspected(key)).rejects.toMatchObject({
        message: `the workspace path ${join(base, key)} is ${what}, not a directory`,
        hint: expect.any(String),
      });
    server.close();
    await once(server, "close");
  });
});

test("a directory of ours is made for the daemon's user alone, used again, and never behind a link", async () => {
  const own = () =>
    holding(base, (root) => holdingOwn(root, ".trash", (held) => writeFile(held.at("x"), "")));
  await own();
  expect(await modeOf(".trash")).toBe(0o700);
  await own();
  await rm(join(base, ".trash"), { recursive: true });
  await mkdir(join(base, "outside"));
  await symlink("outside", join(base, ".trash"));
  await expect(own()).rejects.toMatchObject({ kind: "workspace_error" });
  expect(await readdir(join(base, "outside"))).toEqual([]);
});
