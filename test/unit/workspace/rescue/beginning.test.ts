import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  beginningAt,
  beginningIn,
  beginningText,
  changedSince,
} from "../../../../src/workspace/rescue/beginning.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-beginning-")));
});
afterEach(() => rm(root, { recursive: true }));

const look = (loose: readonly string[]) => beginningAt(root, { repositories: [], loose, cut: false });

test("a file that was written again, removed, or came later is not as it was; also when it has the same size and time", async () => {
  for (const name of ["kept", "rewritten", "removed"]) await writeFile(join(root, name), "one");
  await symlink("kept", join(root, "link"));
  const paths = ["gone", "kept", "link", "removed", "rewritten"];
  const before = await look(paths);
  expect(await changedSince(before, root, paths)).toEqual([]);
  await rm(join(root, "rewritten"));
  await writeFile(join(root, "rewritten"), "two");
  await rm(join(root, "removed"));
  expect(await changedSince(before, root, [...paths, "new"])).toEqual(["removed", "rewritten", "new"]);
});

test("it is read as it was written, and what is none is none", async () => {
  await writeFile(join(root, "kept"), "one");
  const before = await look(["kept"]);
  expect(beginningIn(beginningText(before))).toEqual(before);
  expect(["", "{", '{"version":1,"commits":["x"],"files":[]}'].map(beginningIn)).toEqual([null, null, null]);
});
