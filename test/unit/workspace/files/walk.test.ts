import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { walkFiles } from "../../../../src/workspace/files/walk.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-walk-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const live = new AbortController().signal;

test("a directory whose name is no UTF-8 is named as a whole: nothing in it could be", async () => {
  await mkdir(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9)]));
  await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9), Buffer.from("/work")]), "x");
  expect((await walkFiles(root, live)).files).toEqual(["caf\uFFFD"]);
});

test("links are files: what is behind them is not listed", async () => {
  await mkdir(join(root, "a"));
  await writeFile(join(root, "a", "file"), "x");
  await symlink("..", join(root, "a", "up"));
  expect((await walkFiles(root, live)).files).toEqual(["a/file", "a/up"]);
});

test("a directory that is not there has no files", async () => {
  expect(await walkFiles(join(root, "none"), live)).toEqual({ files: [], repositories: [], cut: false });
});
