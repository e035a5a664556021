import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Survey, Surveyed } from "../../../../src/workspace/git/survey.ts";
import { NOTHING } from "../../../../src/workspace/rescue/beginning.ts";
import { gather } from "../../../../src/workspace/rescue/work.ts";

let base: string;
let root: string;
let to: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-work-")));
  root = join(base, "MT-1");
  to = join(base, "to");
  await mkdir(join(root, "sub"), { recursive: true });
  await mkdir(to);
  await writeFile(join(root, "loose"), "abc");
  await writeFile(join(root, "sub", "new"), "x");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const gathered = (found: Partial<Survey>) =>
  gather(
    root,
    { repositories: [], loose: [], cut: false, ...found },
    to,
    NOTHING,
    new AbortController().signal,
  );

/** A repository without a commit or a ref: there is nothing in it to bundle. */
const fresh = (at: string, dirty: readonly string[]): Surveyed => ({
  at,
  git: { worktree: join(root, at), gitDir: "/none", commonDir: "/none", inside: true },
  refs: { branch: "refs/heads/main", head: null, all: new Map(), stashed: [] },
  dirty,
});

test("without commits and files there is no work, and a tidy repository is none", async () => {
  expect(await gathered({})).toBeNull();
  expect(await gathered({ repositories: [fresh("sub", [])] })).toBeNull();
});

test("loose files and those of repositories are saved side by side, and all bytes are counted", async () => {
  const work = await gathered({ loose: ["loose"], repositories: [fresh("sub", ["sub/new"])] });
  expect(work).toMatchObject({
    files: [
      { path: "sub/new", bytes: 1 },
      { path: "loose", bytes: 3 },
    ],
    bytes: 4,
    left_out: [],
    left_out_more: 0,
  });
  expect(await readFile(join(to, "files", "sub", "new"), "utf8")).toBe("x");
});

test("a changed file that is not there was deleted, which its own repository says; a loose one is just gone", async () => {
  const repositories = [fresh("sub", ["sub/new", "sub/gone"]), fresh("other", [])];
  const work = await gathered({ repositories, loose: ["lost"] });
  expect(work?.repositories.map(({ at, deleted, bundle }) => [at, deleted, bundle])).toEqual([
    ["sub", ["sub/gone"], null],
    ["other", [], null],
  ]);
  expect(work?.left_out).toEqual([]);
});

test("when not all files were looked at, that is left out by name", async () => {
  expect((await gathered({ loose: ["loose"], cut: true }))?.left_out).toEqual([
    { path: ".", why: "there are more files than are looked at" },
  ]);
});

test("a thousand things left out are named, the others counted", async () => {
  const work = await gathered({ loose: Array.from({ length: 1_003 }, () => "sub") });
  expect([work?.left_out.length, work?.left_out_more]).toEqual([1_000, 3]);
});
