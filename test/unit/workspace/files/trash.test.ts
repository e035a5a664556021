import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { holding } from "../../../../src/workspace/files/held.ts";
import { deleteIn, deleteLeftovers, throwAway } from "../../../../src/workspace/files/trash.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-trash-")));
  await mkdir(join(base, "MT-1", "deep"), { recursive: true });
  await writeFile(join(base, "MT-1", "deep", "file"), "work");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const trash = (): Promise<readonly string[]> => readdir(join(base, ".trash"));
const thrown = (key: string, more: Parameters<typeof throwAway>[2] = {}) =>
  holding(base, (root) => throwAway(root, key, more));
const leftovers = (now: () => number) => holding(base, (root) => deleteLeftovers(root, now));
const never = (): never => {
  throw new Error("not here");
};

test("a directory is out of its place as a whole before it is deleted, and then it is gone", async () => {
  let seen: unknown = null;
  const moved = async (): Promise<void> => {
    const [name = ""] = await trash();
    const file = await readFile(join(base, ".trash", name, "deep", "file"), "utf8");
    seen = [await readdir(base), file];
  };
  expect(await thrown("MT-1", { moved })).toEqual({ found: true, left: null });
  expect(seen).toEqual([[".trash"], "work"]);
  expect([await readdir(base), await trash()]).toEqual([[".trash"], []]);
});

test("of what is not there nothing is deleted, but what follows is done all the same", async () => {
  let moves = 0;
  const moved = async (): Promise<void> => void moves++;
  expect(await thrown("none", { moved })).toEqual({ found: false, left: null });
  expect(moves).toBe(1);
});

test("a link goes as the link it is: what it leads to stays", async () => {
  await symlink("MT-1", join(base, "link"));
  expect(await thrown("link")).toEqual({ found: true, left: null });
  expect(await readFile(join(base, "MT-1", "deep", "file"), "utf8")).toBe("work");
  expect(await trash()).toEqual([]);
});

test("what cannot be moved is still there, and that is an error", async () => {
  await expect(thrown("MT-1/deep/file/x")).rejects.toMatchObject({
    kind: "workspace_error",
    message: expect.stringContaining(`${base}/MT-1/deep/file/x cannot be removed`),
  });
});

test("when the signal comes the program is ended, and what is left in the trash is said", async () => {
  // One that does not end by itself, in the place of the system's.
  const path = process.env["PATH"];
  onTestFinished(() => void (process.env["PATH"] = path));
  await mkdir(join(base, "bin"));
  await writeFile(join(base, "bin", "rm"), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
  process.env["PATH"] = `${join(base, "bin")}${delimiter}${path}`;
  const stop = new AbortController();
  const moved = async (): Promise<void> => void setImmediate(() => stop.abort());
  const { found, left } = await thrown("MT-1", { moved, signal: stop.signal });
  expect([found, left]).toEqual([true, expect.stringContaining("rm: ")]);
  expect((await readdir(base)).toSorted()).toEqual([".trash", "bin"]);
  expect(await trash()).toHaveLength(1);
});

test("an empty directory is deleted without a program, a full one and a file are deleted too", async () => {
  await mkdir(join(base, "empty"));
  await writeFile(join(base, "file"), "");
  await holding(base, async (root) => {
    // A program would not even begin.
    expect(await deleteIn(root, "empty", 1_000, AbortSignal.abort())).toBeNull();
    for (const name of ["MT-1", "file", "none"]) expect(await deleteIn(root, name)).toBeNull();
  });
  expect(await readdir(base)).toEqual([]);
});

test("a name is a name, even when it looks like an option", async () => {
  await mkdir(join(base, "-rf", "x"), { recursive: true });
  expect(await holding(base, (root) => deleteIn(root, "-rf"))).toBeNull();
  await expect(lstat(join(base, "-rf"))).rejects.toThrow("ENOENT");
  expect(await readdir(base)).toEqual(["MT-1"]);
});

test("leftovers are what an earlier process left, not what this one is just removing", async () => {
  await mkdir(join(base, ".trash", "theirs", "x"), { recursive: true });
  let meanwhile: readonly string[] = [];
  await thrown("MT-1", {
    moved: async () => {
      await leftovers(() => 0);
      meanwhile = await trash();
    },
  });
  expect(meanwhile).toHaveLength(1);
  expect(meanwhile).not.toContain("theirs");
});

test("what this process could not delete is a leftover as well: it is deleted when it can be", async () => {
  const stop = AbortSignal.abort();
  expect((await thrown("MT-1", { signal: stop })).left).not.toBeNull();
  expect(await trash()).toHaveLength(1);
  await leftovers(() => 0);
  expect(await trash()).toEqual([]);
});

test("leftovers hold up a start only so long: the rest is left for the next", async () => {
  for (const name of ["a", "b", "c"]) await mkdir(join(base, ".trash", name, "x"), { recursive: true });
  // Set, asked before the first, and asked before the second: ten seconds are over.
  const times = [0, 0, 10_000];
  await leftovers(() => times.shift() ?? never());
  expect(await trash()).toHaveLength(2);
  await leftovers(() => 0);
  expect(await trash()).toEqual([]);
});
