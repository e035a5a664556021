import { mkdir, mkdtemp, realpath, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holding } from "../../../src/workspace/files/held.ts";
import { findRoot } from "../../../src/workspace/files/safe-path.ts";
import { Prepared } from "../../../src/workspace/prepared.ts";

let base = "";
let root = "";
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-prepared-")));
  root = join(base, "root");
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const pathIn = (prepared: Prepared, spelled = root): Promise<string | null> =>
  prepared.inRoot(spelled, findRoot, async (held) => held.path);

describe("what is done in a root is done in the one that was first met", () => {
  test("it is looked for once, and then known by what the file system knows of it", async () => {
    const prepared = new Prepared();
    let looked = 0;
    const find = (spelled: string): Promise<string | null> => {
      looked += 1;
      return findRoot(spelled);
    };
    const use = async (): Promise<null> => null;
    await prepared.inRoot(root, find, use);
    await prepared.inRoot(root, find, use);
    expect(looked).toBe(1);
  });

  test("another directory in its place is examined anew", async () => {
    const prepared = new Prepared();
    await pathIn(prepared);
    await rename(root, join(base, "away"));
    await mkdir(root);
    let looked = 0;
    await prepared.inRoot(
      root,
      (spelled) => {
        looked += 1;
        return findRoot(spelled);
      },
      async () => null,
    );
    expect(looked).toBe(1);
  });

  test("a link in its place is refused", async () => {
    const prepared = new Prepared();
    await pathIn(prepared);
    await rename(root, join(base, "away"));
    await symlink(join(base, "away"), root);
    await expect(pathIn(prepared)).rejects.toMatchObject({ kind: "root_unusable" });
  });

  test("a root that is spelled by way of a link stays the directory it led to", async () => {
    const spelled = join(base, "link");
    await symlink(root, spelled);
    const prepared = new Prepared();
    expect(await pathIn(prepared, spelled)).toBe(root);
    await rm(spelled);
    await mkdir(join(base, "other"));
    await symlink(join(base, "other"), spelled);
    await expect(pathIn(prepared, spelled)).rejects.toMatchObject({ kind: "root_unusable" });
  });

  test("a root that is gone is none", async () => {
    const prepared = new Prepared();
    await pathIn(prepared);
    await rm(root, { recursive: true });
    expect(await pathIn(prepared)).toBeNull();
  });

  test("what is done there fails with its own error", async () => {
    const prepared = new Prepared();
    await pathIn(prepared);
    const failing = prepared.inRoot(root, findRoot, () => Promise.reject(new Error("its own")));
    await expect(failing).rejects.toThrow("its own");
  });
});

test("a directory that has been swapped for another one is not the one that was prepared", async () => {
  const prepared = new Prepared();
  await mkdir(join(root, "MT-1"));
  await holding(root, (held) => prepared.learn(held, "MT-1"));
  await rename(join(root, "MT-1"), join(root, "MT-2"));
  await mkdir(join(root, "MT-1"));
  await expect(holding(root, (held) => prepared.isThere(held, "MT-1"))).rejects.toMatchObject({
    kind: "invalid_workspace_cwd",
  });
});
