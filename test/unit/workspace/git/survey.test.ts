import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { survey } from "../../../../src/workspace/git/survey.ts";
import { gitEnvironment } from "../../../git-environment.ts";

let base: string;
let ws: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-survey-")));
  ws = join(base, "ws");
  await mkdir(ws);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const put = async (...paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    await mkdir(dirname(join(ws, path)), { recursive: true });
    await writeFile(join(ws, path), "x");
  }
};
const git = (...args: readonly string[]) =>
  execFileSync("git", ["-C", ws, ...args], { env: { ...gitEnvironment, HOME: base }, stdio: "pipe" });
const look = () => survey(ws, { scratch: join(base, "scratch"), signal: new AbortController().signal });

test("files of no repository are loose, in order, and links are files", async () => {
  await put("b", "a/c");
  await symlink("/", join(ws, "a", "b"));
  expect(await look()).toEqual({ repositories: [], loose: ["a/b", "a/c", "b"], cut: false });
});

test("a repository beside files has its own, and one in a repository too: each path is from the workspace, and once", async () => {
  git("init", "--quiet", "one");
  git("init", "--quiet", "one/two");
  await put("loose", "one/new", "one/two/deep/new");
  const { repositories, loose } = await look();
  expect(loose).toEqual(["loose"]);
  expect(repositories.map(({ at, dirty }) => [at, dirty])).toEqual([
    ["one", ["one/new"]],
    ["one/two", ["one/two/deep/new"]],
  ]);
});

test("a directory whose .git is none holds files like any other", async () => {
  await put(".git/x", "y");
  expect(await look()).toMatchObject({ repositories: [], loose: [".git/x", "y"] });
});

test("a git directory that lies open in the workspace is no work", async () => {
  git("init", "--quiet", "--bare", ".bare");
  await writeFile(join(ws, ".git"), "gitdir: .bare\n");
  await put("new", ".bareness");
  const { repositories } = await look();
  expect(repositories.map(({ dirty }) => dirty)).toEqual([[".bareness", "new"]]);
});

test("a workspace that is not there, or is a link, is an error and not an empty one", async () => {
  await rm(ws, { recursive: true });
  await expect(look()).rejects.toMatchObject({ kind: "workspace_error" });
  await mkdir(join(base, "outside"));
  await symlink(join(base, "outside"), ws);
  await expect(look()).rejects.toMatchObject({ kind: "workspace_error" });
});
