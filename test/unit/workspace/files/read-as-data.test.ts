import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  linkInside,
  openInside,
  openReal,
  readReal,
  readRegular,
} from "../../../../src/workspace/files/read-as-data.ts";
import { needsLinux } from "../../../platform.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-read-")));
  await mkdir(join(base, "a", "b"), { recursive: true });
  await mkdir(join(base, "outside"));
  await writeFile(join(base, "outside", "file"), "gold");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const odd = ["link", "pipe", "dir"];
const plantOdd = async (): Promise<void> => {
  await symlink(join(base, "outside", "file"), join(base, "link"));
  execFileSync("mkfifo", [join(base, "pipe")]);
  await mkdir(join(base, "dir"));
};

test("a link, a pipe and a directory are no content: an error that names them, and no waiting", async () => {
  await plantOdd();
  for (const name of odd)
    await expect(readRegular(join(base, name), 100)).rejects.toMatchObject({
      message: `${join(base, name)} is not a regular file`,
      hint: expect.any(String),
    });
});

test("what is not there is null, also below a file", async () => {
  expect(await readRegular(join(base, "none"), 100)).toBeNull();
  expect(await readRegular(join(base, "outside", "file", "x"), 100)).toBeNull();
  expect(await readReal(join(base, "none"), 100)).toBeNull();
});

test("as many bytes as are allowed are read, one more is refused", async () => {
  const path = join(base, "outside", "file");
  expect((await readRegular(path, 4))?.toString()).toBe("gold");
  await expect(readRegular(path, 3)).rejects.toThrow(`${path} is longer than 3 bytes`);
  await writeFile(path, "");
  expect((await readReal(path, 0))?.length).toBe(0);
});

test("neither a file nor a link is read behind a link", async () => {
  await symlink("/nowhere", join(base, "outside", "link"));
  await symlink("/somewhere", join(base, "a", "b", "link"));
  await symlink(join(base, "outside"), join(base, "way"));
  await expect(readReal(join(base, "way", "file"), 100)).rejects.toThrow("a link is in its way");
  expect((await readReal(join(base, "outside", "file"), 100))?.toString()).toBe("gold");
  expect(await linkInside(base, "way/link")).toBeNull();
  expect(await linkInside(base, "a/b/link")).toBe("/somewhere");
});

test("inside of a root, what is not really there is null; what is says whether it may be run", async () => {
  await plantOdd();
  await symlink("outside", join(base, "way"));
  for (const path of [...odd, "none", "way/file"]) expect(await openInside(base, path)).toBeNull();
  const opened = async (): Promise<boolean | undefined> => {
    const file = await openInside(base, "outside/file");
    await file?.file.close();
    expect(file?.bytes).toBe(4);
    return file?.executable;
  };
  expect(await opened()).toBe(false);
  await chmod(join(base, "outside", "file"), 0o700);
  expect(await opened()).toBe(true);
});

test("what is refused is not left open", async (context) => {
  needsLinux(context, "what this process has open is read from /proc");
  await plantOdd();
  await symlink("outside", join(base, "way"));
  for (const name of odd) await expect(readRegular(join(base, name), 100)).rejects.toThrow();
  await expect(openReal(join(base, "way", "file"))).rejects.toThrow();
  await expect(readReal(join(base, "outside", "file"), 1)).rejects.toThrow();
  const open = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  expect(open.filter((path) => path.startsWith(base))).toEqual([]);
});
