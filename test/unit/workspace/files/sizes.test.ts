import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Sizes } from "../../../../src/workspace/files/sizes.ts";

let root: string;
let now = 0;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-sizes-")));
  now = 0;
});
afterEach(() => rm(root, { recursive: true, force: true }));
const fill = async (key: string, kib: number, name = "file"): Promise<void> => {
  await mkdir(join(root, key, "deep"), { recursive: true });
  await writeFile(join(root, key, "deep", name), Buffer.alloc(kib * 1_024, 1));
};

test("sizes are of what is on the disk: links lead nowhere, names of one file share it", async () => {
  await fill("MT-1", 400);
  await link(join(root, "MT-1", "deep", "file"), join(root, "MT-1", "again"));
  await symlink("/usr", join(root, "MT-1", "link"));
  await fill("MT-2", 100);
  await fill(".trash", 800);
  const sizes = new Sizes(root, () => now);
  await sizes.count();
  expect(sizes.biggest(9).map(({ key, bytes }) => [key, Math.round(bytes / 102_400)])).toEqual([
    ["MT-1", 4],
    ["MT-2", 1],
  ]);
  expect(sizes.biggest(1)).toHaveLength(1);
  expect(Math.round(sizes.total() / 102_400)).toBe(13);
  await sizes.close();
});

test("what is known is not counted again at once; what is gone is forgotten", async () => {
  await fill("MT-1", 100);
  await fill("MT-2", 100);
  const sizes = new Sizes(root, () => now);
  await sizes.count();
  const before = sizes.total();
  await fill("MT-1", 400, "more");
  now += 60_000;
  await sizes.count();
  expect(sizes.total()).toBe(before);
  now += 10 * 60_000;
  await sizes.count();
  expect(sizes.total()).toBeGreaterThan(before + 300 * 1_024);
  await rm(join(root, "MT-2"), { recursive: true });
  await sizes.count();
  expect(sizes.biggest(9).map(({ key }) => key)).toEqual(["MT-1"]);
});

test("one look takes only so long, and the next goes on where it stopped", async () => {
  for (let n = 0; n < 4; n++) await fill(`MT-${n}`, 100);
  // Every reading of the clock is 200 ms later: a call is over after three steps.
  const sizes = new Sizes(root, () => (now += 200));
  await sizes.count();
  const first = sizes.total();
  let last = first;
  for (let looks = 0; looks < 50 && sizes.biggest(9).length < 4; looks++) {
    await sizes.count();
    expect(sizes.total()).toBeGreaterThanOrEqual(last);
    last = sizes.total();
  }
  expect(first).toBeLessThan(200 * 1_024);
  expect(sizes.biggest(9)).toHaveLength(4);
  await sizes.close();
});

test("what is counted again is never shown as smaller than it was known to be", async () => {
  await fill("MT-1", 400);
  // The clock stands still while the first call counts all of it; then a call is over after one step.
  let step = 0;
  const sizes = new Sizes(root, () => (now += step));
  await sizes.count();
  const known = sizes.total();
  now += 10 * 60_000;
  step = 400;
  await sizes.count();
  expect(sizes.total()).toBe(known);
  await sizes.close();
});

test("a workspace that goes while it is counted is forgotten, and the count goes on with the next", async () => {
  await fill("MT-1", 400);
  let step = 400;
  const sizes = new Sizes(root, () => (now += step));
  await sizes.count();
  expect(sizes.total()).toBeGreaterThan(0);
  await rm(join(root, "MT-1"), { recursive: true });
  await fill("MT-2", 100);
  step = 0;
  await sizes.count();
  expect(sizes.biggest(9).map(({ key }) => key)).toEqual(["MT-2"]);
});

test("nothing is counted behind a link in the place of the root", async () => {
  await fill("MT-1", 100);
  await rename(root, `${root}.moved`);
  await symlink(`${root}.moved`, root);
  const sizes = new Sizes(root, () => now);
  await sizes.count();
  expect(sizes.total()).toBe(0);
  await rm(`${root}.moved`, { recursive: true });
});
