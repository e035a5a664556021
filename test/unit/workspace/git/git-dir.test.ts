import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GitDir, gitDirOf, isWithin, pointsToStranger } from "../../../../src/workspace/git/git-dir.ts";

let base = "";
const at = (path: string): string => join(base, path);
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "git-dir-")));
  mkdirSync(at("ws"));
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** As much of a repository as makes it one. */
function repository(path: string): void {
  put(`${path}/HEAD`, "ref: refs/heads/main\n");
  mkdirSync(at(`${path}/objects`), { recursive: true });
}

/** A worktree `ws` that is linked to `main/.git`, both ways. */
function linked(): void {
  repository("main/.git");
  put("main/.git/worktrees/ws/HEAD", "ref: refs/heads/mine\n");
  put("main/.git/worktrees/ws/commondir", "../..\n");
  put("main/.git/worktrees/ws/gitdir", `${at("ws/.git")}\n`);
  put("ws/.git", `gitdir: ${at("main/.git/worktrees/ws")}\n`);
}

const found = (directory = "ws", known: readonly GitDir[] = []) => gitDirOf(at(directory), at("ws"), known);

describe("a directory is a checkout when", () => {
  test("its .git is a repository: that goes with the workspace", async () => {
    repository("ws/.git");
    const gitDir = at("ws/.git");
    expect(await found()).toEqual({ worktree: at("ws"), gitDir, commonDir: gitDir, inside: true });
  });

  test("its .git names a directory of the workspace, as a submodule's does", async () => {
    repository("ws/.git/modules/sub");
    put("ws/sub/.git", "gitdir: ../.git/modules/sub\n");
    expect(await found("ws/sub")).toMatchObject({ gitDir: at("ws/.git/modules/sub"), inside: true });
  });

  test("it is linked to a repository elsewhere that knows of it: HEAD is its own, the rest stays there", async () => {
    linked();
    expect(await found()).toEqual({
      worktree: at("ws"),
      gitDir: at("main/.git/worktrees/ws"),
      commonDir: at("main/.git"),
      inside: false,
    });
  });

  test("its repository is kept by the one that the worktree around it is linked to", async () => {
    linked();
    const around = await found();
    repository("main/.git/worktrees/ws/modules/sub");
    put("ws/sub/.git", "gitdir: ../../main/.git/worktrees/ws/modules/sub\n");
    expect(await found("ws/sub")).toBeNull();
    expect(await found("ws/sub", around === null ? [] : [around])).toMatchObject({ inside: false });
  });
});

describe("it is none when", () => {
  test.each<[string, () => void]>([
    ["there is no .git", () => {}],
    [".git says nothing of a directory", () => put("ws/.git", "gitdir:\n")],
    [".git names one that is not there", () => put("ws/.git", "gitdir: ../none\n")],
    ["it has no HEAD", () => mkdirSync(at("ws/.git/objects"), { recursive: true })],
    ["it has no objects", () => put("ws/.git/HEAD", "ref: refs/heads/main\n")],
    [
      "its objects are a link to those of others",
      () => {
        repository("stranger");
        put("ws/.git/HEAD", "ref: refs/heads/main\n");
        symlinkSync(at("stranger/objects"), at("ws/.git/objects"));
      },
    ],
    [
      "its objects and refs are said to be in a repository that it is no part of",
      () => {
        repository("stranger");
        repository("ws/.git");
        put("ws/.git/commondir", `${at("stranger")}\n`);
      },
    ],
  ])("%s", async (_, make) => {
    make();
    expect(await found()).toBeNull();
  });
});

describe("a stranger's repository is not the workspace's", () => {
  test("reached by a link, by a file, or by one that knows of another checkout", async () => {
    repository("stranger/.git");
    symlinkSync(at("stranger/.git"), at("ws/.git"));
    const strange = () => pointsToStranger(at("ws"), at("ws"), []);
    expect([await found(), await strange()]).toEqual([null, true]);
    rmSync(at("ws/.git"));
    put("ws/.git", `gitdir: ${at("stranger/.git")}\n`);
    expect([await found(), await strange()]).toEqual([null, true]);
    linked();
    put("main/.git/worktrees/ws/gitdir", `${at("stranger/.git")}\n`);
    expect([await found(), await strange()]).toEqual([null, true]);
  });

  test("and what leads nowhere, or stays inside, is no stranger", async () => {
    expect(await pointsToStranger(at("ws"), at("ws"), [])).toBe(false);
    repository("ws/.git");
    expect(await pointsToStranger(at("ws"), at("ws"), [])).toBe(false);
  });
});

test.each([
  ["/a", "/a", true],
  ["/a", "/a/b/c", true],
  ["/a", "/a/..b", true],
  ["/a", "/ab", false],
  ["/a/b", "/a", false],
  ["/a/b", "/a/c", false],
])("within %s is %s: %s", (directory, path, is) => expect(isWithin(directory, path)).toBe(is));
