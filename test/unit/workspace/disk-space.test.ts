import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DiskSpace, diskVerdict, freeBytes, type Space } from "../../../src/workspace/disk-space.ts";
import { Sizes } from "../../../src/workspace/files/sizes.ts";

const gib = 2 ** 30;
const settings = { root: "/ws", minFreeBytes: 2 * gib, maxBytes: null };
const space = (more: Partial<Space> = {}): Space => ({
  freeBytes: 10 * gib,
  usedBytes: null,
  biggest: [],
  ...more,
});

describe("nothing new starts", () => {
  test("while too little is free, and the largest workspaces are named", () => {
    const biggest = [
      { key: "MT-1", bytes: 3 * gib },
      { key: "MT-2", bytes: gib },
    ];
    expect(diskVerdict(space({ freeBytes: 1.25 * gib, biggest }), settings)).toBe(
      "only 1.3 GiB are free on the disk of /ws, and workspace.min_free_bytes asks for 2.0 GiB. The largest workspaces: MT-1 (3.0 GiB), MT-2 (1.0 GiB). Remove what is not needed, or lower the limit.",
    );
    expect(diskVerdict(space({ freeBytes: 2 * gib }), settings)).toBeNull();
    expect(diskVerdict(space({ freeBytes: 0 }), { ...settings, minFreeBytes: 0 })).toBeNull();
  });
  test("while the workspaces take too much", () => {
    const limited = { ...settings, maxBytes: gib };
    expect(diskVerdict(space({ usedBytes: gib + 1 }), limited)).toContain(
      "workspace.max_bytes allows 1.0 GiB",
    );
    expect(diskVerdict(space({ usedBytes: gib }), limited)).toBeNull();
    expect(diskVerdict(space(), limited)).toBeNull();
  });
});

describe("on a disk", () => {
  let root: string;
  let now = 0;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "baton-space-"));
    now = 0;
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const fill = async (key: string, kib: number, name = "file"): Promise<void> => {
    await mkdir(join(root, key, "deep"), { recursive: true });
    await writeFile(join(root, key, "deep", name), Buffer.alloc(kib * 1_024, 1));
  };

  test("nothing is counted while enough is free and there is no limit", async () => {
    await fill("MT-1", 100);
    const disk = new DiskSpace({ now: () => now, free: async () => 5 });
    const some = { root, minFreeBytes: 5, maxBytes: null };
    expect(await disk.look(some)).toEqual({ freeBytes: 5, usedBytes: null, biggest: [] });
    const low = await disk.look({ ...some, minFreeBytes: 6 });
    expect(low.biggest.map(({ key }) => key)).toEqual(["MT-1"]);
    expect(low.usedBytes).toBeGreaterThanOrEqual(100 * 1_024);
  });

  test("free space is that of the real disk, also of a directory that is yet to be made", async () => {
    expect(await freeBytes(root)).toBeGreaterThan(0);
    expect(await freeBytes(join(root, "not", "there"))).toBeGreaterThan(0);
  });

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
});
