import { createHash } from "node:crypto";
import { mkdtemp, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contentBounds, hashFiles, type ContentBounds } from "../../../../src/workspace/git/content.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-content-")));
  await writeFile(join(root, "a"), "aaaa");
  await writeFile(join(root, "b"), "bbbb");
});
afterEach(() => rm(root, { recursive: true, force: true }));

const hashOf = async (bounds: Partial<ContentBounds> = {}, now?: () => number): Promise<string> => {
  const hash = createHash("sha256");
  await hashFiles(hash, root, ["a", "b", "gone"], {
    ...(now && { now }),
    bounds: { ...contentBounds, ...bounds },
  });
  return hash.digest("hex");
};
const touch = (name: string, seconds: number) => utimes(join(root, name), seconds, seconds);

test("within the bounds content counts and time does not", async () => {
  const before = await hashOf();
  await touch("a", 1);
  expect(await hashOf()).toBe(before);
  await writeFile(join(root, "a"), "AAAA");
  expect(await hashOf()).not.toBe(before);
});

test.each<[string, Partial<ContentBounds>]>([
  ["a file that is too large", { fileBytesMax: 3 }],
  ["a file beyond the bytes that are read", { bytesMax: 7 }],
  ["a file beyond the number that are read", { filesMax: 1 }],
])("of %s size and time count", async (_what, bounds) => {
  await touch("b", 1);
  const before = await hashOf(bounds);
  expect(await hashOf(bounds)).toBe(before);
  await touch("b", 2);
  expect(await hashOf(bounds)).not.toBe(before);
});

test("when time is up nothing more is read", async () => {
  await touch("b", 1);
  let now = 0;
  // The first reading of the clock sets the end; each later one is 10 s after the one before.
  const slow = () => (now += 10_000);
  const before = await hashOf({}, slow);
  now = 0;
  await touch("b", 2);
  expect(await hashOf({}, slow)).not.toBe(before);
});

test("what is gone, a link and a file are three things", async () => {
  const file = await hashOf();
  await rm(join(root, "a"));
  const gone = await hashOf();
  await symlink("b", join(root, "a"));
  expect(new Set([file, gone, await hashOf()]).size).toBe(3);
});
