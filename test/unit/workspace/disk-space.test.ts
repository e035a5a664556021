import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DiskSpace, diskVerdict, freeBytes, type Space } from "../../../src/workspace/disk-space.ts";

const GIB = 2 ** 30;
const settings = { root: "/ws", minFreeBytes: 2 * GIB, maxBytes: null };
const space = (more: Partial<Space> = {}): Space => ({
  freeBytes: 10 * GIB,
  usedBytes: null,
  biggest: [],
  ...more,
});

describe("nothing new starts", () => {
  test("while too little is free, and the largest workspaces are named", () => {
    const biggest = [
      { key: "MT-1", bytes: 3 * GIB },
      { key: "MT-2", bytes: GIB },
    ];
    expect(diskVerdict(space({ freeBytes: 1.25 * GIB, biggest }), settings)).toBe(
      "only 1.3 GiB are free on the disk of /ws, and workspace.min_free_bytes asks for 2.0 GiB. The largest workspaces: MT-1 (3.0 GiB), MT-2 (1.0 GiB). Remove what is not needed, or lower the limit.",
    );
    expect(diskVerdict(space({ freeBytes: 2 * GIB }), settings)).toBeNull();
    expect(diskVerdict(space({ freeBytes: 0 }), { ...settings, minFreeBytes: 0 })).toBeNull();
  });
  test("while the workspaces take too much", () => {
    const limited = { ...settings, maxBytes: GIB };
    expect(diskVerdict(space({ usedBytes: GIB + 1 }), limited)).toContain(
      "workspace.max_bytes allows 1.0 GiB",
    );
    expect(diskVerdict(space({ usedBytes: GIB }), limited)).toBeNull();
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
});
