import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gitRoots } from "../../../../src/agent/codex/git-roots.ts";

let ground: string;
beforeEach(() => {
  ground = realpathSync(mkdtempSync(join(tmpdir(), "git-roots-")));
});
afterEach(() => rmSync(ground, { recursive: true, force: true }));

const made = (...parts: readonly string[]): string => {
  const path = join(ground, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
};

/** A main repository and a worktree of it, as git itself makes them. */
function worktree(): { readonly main: string; readonly tree: string } {
  const main = made("main");
  const tree = join(ground, "tree");
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      stdio: "pipe",
    });
  };
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "one");
  git("worktree", "add", "-q", tree);
  return { main, tree };
}

describe("the directories git writes", () => {
  test("are the repository's own in a plain checkout", () => {
    const git = made("plain", ".git");
    expect(gitRoots(join(ground, "plain"))).toEqual([git]);
  });

  test("are none where there is no repository", () => {
    expect(gitRoots(made("empty"))).toEqual([]);
    expect(gitRoots(join(ground, "missing"))).toEqual([]);
  });

  test("are the worktree's own, objects, refs and logs of a linked worktree", () => {
    const { main, tree } = worktree();
    const own = join(main, ".git/worktrees/tree");
    expect(gitRoots(tree)).toEqual([
      own,
      ...["objects", "refs", "logs"].map((part) => join(main, ".git", part)),
    ]);
  });
});

describe("a workspace that an agent has written names no other place:", () => {
  test("a link as .git", () => {
    const home = made("home");
    symlinkSync(home, join(made("ws"), ".git"));
    expect(gitRoots(join(ground, "ws"))).toEqual([]);
  });

  test("a pointer to a directory that knows nothing of it", () => {
    const home = made("home", "worktrees", "x");
    for (const part of ["objects", "refs", "logs"]) made("home", part);
    const ws = made("ws");
    writeFileSync(join(ws, ".git"), `gitdir: ${home}\n`);
    expect(gitRoots(ws)).toEqual([]);
    writeFileSync(join(home, "gitdir"), `${ws}/elsewhere/.git\n`);
    expect(gitRoots(ws)).toEqual([]);
  });

  test("a pointer that is not into a repository's worktrees", () => {
    const ws = made("ws");
    const other = made("other");
    writeFileSync(join(other, "gitdir"), `${ws}/.git\n`);
    writeFileSync(join(ws, ".git"), `gitdir: ${other}\n`);
    expect(gitRoots(ws)).toEqual([]);
  });

  test("a worktree with links in the place of objects or refs", () => {
    const { main, tree } = worktree();
    renameSync(join(main, ".git/refs"), join(main, ".git/refs-away"));
    symlinkSync(made("home"), join(main, ".git/refs"));
    expect(gitRoots(tree)).not.toContain(join(main, ".git/refs"));
    expect(gitRoots(tree)).toContain(join(main, ".git/objects"));
  });

  test("a pointer that goes through a link", () => {
    const { main, tree } = worktree();
    symlinkSync(join(main, ".git"), join(ground, "link"));
    writeFileSync(join(tree, ".git"), `gitdir: ${join(ground, "link/worktrees/tree")}\n`);
    expect(gitRoots(tree)).toEqual([]);
  });

  test("a pointer file that is a link, or empty, or a directory's contents long", () => {
    const { tree } = worktree();
    const ws = made("ws");
    symlinkSync(join(tree, ".git"), join(ws, ".git"));
    expect(gitRoots(ws)).toEqual([]);
    const other = made("other");
    writeFileSync(join(other, ".git"), "");
    expect(gitRoots(other)).toEqual([]);
    writeFileSync(join(other, ".git"), `gitdir: /${"x".repeat(10_000)}`);
    expect(gitRoots(other)).toEqual([]);
  });
});
