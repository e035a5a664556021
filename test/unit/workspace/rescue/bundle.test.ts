import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gitDirOf } from "../../../../src/workspace/git/git-dir.ts";
import { readRefs } from "../../../../src/workspace/git/git-refs.ts";
import type { Surveyed } from "../../../../src/workspace/git/survey.ts";
import { bundleUnpushed, headRef } from "../../../../src/workspace/rescue/bundle.ts";
import { gitEnvironment } from "../../../git-environment.ts";

let base = "";
let ws = "";
let pushed = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "bundle-")));
  ws = join(base, "ws");
  mkdirSync(ws);
  mkdirSync(join(base, "to"));
  git("init", "--quiet", "--initial-branch=main");
  pushed = commit("pushed");
  git("update-ref", "refs/remotes/origin/main", pushed);
});
afterEach(() => rmSync(base, { recursive: true }));

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", ws, ...args], {
    env: { ...gitEnvironment, HOME: base },
    encoding: "utf8",
    stdio: "pipe",
  }).trim();

function commit(name: string): string {
  writeFileSync(join(ws, name), name);
  git("add", "--all");
  git("commit", "--quiet", "--message", name);
  return git("rev-parse", "HEAD");
}

const to = (): string => join(base, "to", "c.bundle");
async function bundled(more: Partial<Surveyed["git"]> = {}, room = 2 ** 20, before: readonly string[] = []) {
  const found = await gitDirOf(ws, ws);
  if (found === null) throw new Error("there is no repository");
  const one = { at: "", git: { ...found, ...more }, refs: await readRefs(found), dirty: [] };
  return bundleUnpushed(one, to(), room, new Set(before), new AbortController().signal);
}
const heads = (): readonly string[] => git("bundle", "list-heads", to()).split("\n");

test("what is on a remote is not bundled, also where local branches and tags name it", async () => {
  git("branch", "local");
  git("tag", "v1");
  expect(await bundled()).toBeNull();
  expect(readdirSync(join(base, "to"))).toEqual([]);
});

test("commits on no remote are, with every name they have and HEAD's own, and are complete without the remote", async () => {
  commit("a");
  const head = commit("b");
  git("branch", "old", pushed);
  git("tag", "--annotate", "mine", "--message", "m");
  const bundle = await bundled();
  expect(bundle).toEqual({
    commits: 2,
    refs: ["refs/heads/main", "refs/tags/mine", headRef],
    shallow: [pushed],
    needs: [],
    bytes: statSync(to()).size,
  });
  expect(heads()).toContain(`${head} ${headRef}`);
  expect(heads()).not.toContain(`${pushed} refs/heads/old`);
});

test("of a repository that stays, only what the checkout stands on is bundled", async () => {
  git("checkout", "--quiet", "-b", "others");
  commit("theirs");
  git("checkout", "--quiet", "main");
  const head = commit("mine");
  const bundle = await bundled({ inside: false });
  expect(bundle).toMatchObject({ commits: 1, refs: ["refs/heads/main", headRef] });
  expect(heads().filter((line) => line.includes(" refs/"))).toEqual([
    `${head} refs/heads/main`,
    `${head} ${headRef}`,
  ]);
});

test("without room it is refused, and nothing is written", async () => {
  commit("a");
  await expect(bundled({}, 10)).rejects.toThrow("there is no room for it");
  expect(existsSync(to())).toBe(false);
});

test("what was named when the workspace was made is not bundled, also when that name or that commit is no more", async () => {
  const there = commit("from the template");
  git("tag", "v1");
  expect(await bundled({}, 2 ** 20, [there])).toBeNull();
  git("tag", "--delete", "v1");
  commit("own");
  expect(await bundled({}, 2 ** 20, [there, "0".repeat(39) + "1"])).toMatchObject({ commits: 1 });
});
