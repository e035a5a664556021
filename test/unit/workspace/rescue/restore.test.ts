import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Manifest } from "../../../../src/workspace/rescue/manifest.ts";
import { restore } from "../../../../src/workspace/rescue/restore.ts";
import { aRepository, aRescue } from "./made.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "restore-")));
});
afterEach(() => rmSync(base, { recursive: true }));

const rescued = (more: Partial<Manifest>) => aRescue(join(base, "rescue"), more);
const to = (path = "back"): string => join(base, path);
const files = (...paths: readonly string[]) => ({ files: paths.map((path) => ({ path, bytes: 1 })) });

test("files come back where they were, in a directory that is made, with the way to it", async () => {
  const restored = await restore(rescued(files("a/b", "c")), to("new/way/back"));
  expect(restored).toEqual({ to: to("new/way/back"), commits: 0, files: 2, notes: [] });
  expect(readFileSync(to("new/way/back/a/b"), "utf8")).toBe("a/b");
  expect(readdirSync(to("new/way"))).toEqual(["back"]);
});

test.each<[string, (path: string) => void]>([
  ["a directory, also an empty one", (path) => mkdirSync(path)],
  ["a file", (path) => writeFileSync(path, "theirs")],
  ["a link to nowhere", (path) => symlinkSync("none", path)],
])("%s in its place is never overwritten", async (_, make) => {
  make(to());
  await expect(restore(rescued(files("a")), to())).rejects.toMatchObject({
    message: `${to()} is there already`,
    hint: expect.stringContaining("--to"),
  });
  expect(readdirSync(base).toSorted()).toEqual(["back", "rescue"]);
});

test("it is there as a whole or not at all, and who cannot have it is told where the rescue is", async () => {
  const saved = rescued(files("a", "b"));
  rmSync(join(saved.to, "files", "b"));
  await expect(restore(saved, to("here/back"))).rejects.toMatchObject({
    message: expect.stringContaining(`MT-1-20310509T080000Z cannot be restored to ${to("here/back")}: `),
    hint: expect.stringContaining(saved.to),
  });
  expect(readdirSync(to("here"))).toEqual([]);
});

test("git's own files are not laid down, as they tell git what to run; where they are is said", async () => {
  const saved = rescued(files(".git/config", "sub/.GIT/hooks/x", "a"));
  const { notes } = await restore(saved, to());
  expect(readdirSync(to())).toEqual(["a"]);
  expect(notes).toEqual([
    `.git/config is git's own and was not laid down: it is in ${saved.to}/files.`,
    `sub/.GIT/hooks/x is git's own and was not laid down: it is in ${saved.to}/files.`,
  ]);
});

test("a deletion takes nothing of git's own, and a file that is saved stays", async () => {
  const one = aRepository({ deleted: [".git/HEAD", "gone"], head: null });
  await restore(rescued({ ...files("a"), repositories: [one] }), to());
  expect(readdirSync(to())).toEqual(["a"]);
});

test("what had not been saved is counted, listed or not", async () => {
  const left_out = [{ path: "huge", why: "large" }];
  const { notes } = await restore(rescued({ ...files("a"), left_out, left_out_more: 4 }), to());
  expect(notes).toEqual(["5 of its files had not been saved; `baton rescue show` names them."]);
});

test("commits are counted where they came back, not where only a remote can complete them", async () => {
  const id = "2".repeat(40);
  const repositories = [
    aRepository({ at: "b", commits: 5, bundle: "commits-0.bundle", needs: [id] }),
    aRepository({ at: "", commits: 0, head: null }),
  ];
  const { commits, notes } = await restore(rescued({ ...files("a"), repositories }), to());
  expect(commits).toBe(0);
  expect(notes).toEqual([expect.stringContaining(`need ${id}`)]);
});

test("a program that was saved is one again", async () => {
  const saved = rescued(files("run", "text"));
  chmodSync(join(saved.to, "files", "run"), 0o700);
  await restore(saved, to());
  expect(["run", "text"].map((name) => statSync(join(to(), name)).mode & 0o100)).toEqual([0o100, 0]);
});
