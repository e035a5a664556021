import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holding } from "../../../../src/workspace/files/held.ts";
import { refuseOddObjects, refuseSnares } from "../../../../src/workspace/git/snares.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-snares-")));
  await mkdir(join(base, "ws"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (path: string): string => join(base, path);
const put = async (path: string, text = ""): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), text);
};
const pipe = async (path: string): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true });
  execFileSync("mkfifo", [at(path)]);
};
const look = () => refuseSnares(at("ws"), [], new AbortController().signal);

describe("git is not run where it would wait", () => {
  test.each(["ws/.gitignore", "ws/deep/.gitattributes", "ws/.gitmodules", "ws/.git/info/exclude"])(
    "%s as a pipe",
    async (path) => {
      await pipe(path);
      await expect(look()).rejects.toMatchObject({
        message: `${at(path)} is a named pipe, so git is not run there`,
        hint: expect.any(String),
      });
    },
  );

  test("a pipe of another name is somebody's own: git does not open it", async () => {
    await pipe("ws/deep/pipe");
    await pipe("ws/.github/pipe");
    await look();
  });
});

test("rules are read whole: a mebibyte of them is fine, a byte more is not", async () => {
  await put("ws/deep/.gitignore");
  await truncate(at("ws/deep/.gitignore"), 2 ** 20);
  // Of the same length, and no rules.
  await put("ws/other");
  await truncate(at("ws/other"), 2 ** 30);
  await look();
  await truncate(at("ws/deep/.gitignore"), 2 ** 20 + 1);
  await expect(look()).rejects.toThrow(`${at("ws/deep/.gitignore")} is longer than 1048576 bytes`);
});

describe("git is not led to a stranger's repository", () => {
  test.each<[string, () => Promise<void>]>([
    ["by a file", () => put("ws/sub/.git", `gitdir: ${at("stranger")}\n`)],
    ["by a link", () => mkdir(at("ws/sub")).then(() => symlink(at("stranger"), at("ws/sub/.git")))],
  ])("%s below the workspace", async (_, point) => {
    await put("stranger/HEAD", "ref: refs/heads/main\n");
    await point();
    await expect(look()).rejects.toThrow(
      `${at("ws/sub/.git")} leads to a repository outside of the workspace`,
    );
  });

  test("the workspace's own .git is judged by who asks for it, and one that stays inside is fine", async () => {
    await put("stranger/HEAD", "ref: refs/heads/main\n");
    await put("ws/.git", `gitdir: ${at("stranger")}\n`);
    await put("ws/kept/HEAD", "ref: refs/heads/main\n");
    await put("ws/sub/.git", "gitdir: ../kept\n");
    await look();
  });

  test("what lies behind a link is not looked at", async () => {
    await put("outside/.git", `gitdir: ${at("stranger")}\n`);
    await put("stranger/HEAD", "ref: refs/heads/main\n");
    await symlink(at("outside"), at("ws/link"));
    await look();
  });
});

test("a workspace that cannot be looked through is not taken for a harmless one", async () => {
  const aborted = refuseSnares(at("ws"), [], AbortSignal.abort());
  await expect(aborted).rejects.toThrow(`find in ${at("ws")}: `);
});

describe("objects", () => {
  const objects = () => holding(at("ws"), refuseOddObjects);

  test("are files in directories", async () => {
    for (const path of ["ws/aa/01", "ws/pack/pack-1.idx", "ws/info/packs", "ws/top"]) await put(path);
    // Git does not look deeper.
    await mkdir(at("ws/pack/deep"));
    await symlink("/", at("ws/pack/deep/link"));
    await objects();
  });

  test.each<[string, (path: string) => Promise<void>]>([
    ["ws/link", (path) => symlink("/", at(path))],
    ["ws/aa/link", (path) => symlink("/", at(path))],
    ["ws/pack/pack-1.idx", pipe],
  ])("%s as something else is refused", async (path, make) => {
    await mkdir(at("ws/aa"));
    await make(path);
    await expect(objects()).rejects.toThrow(`${at(path)} is a link, a pipe or a device`);
  });
});
