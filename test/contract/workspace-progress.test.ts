import { mkdir, readFile, rename, rm, stat, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fingerprint as fingerprintOf } from "../../src/workspace/git/progress.ts";
import { type GitRig, gitRig } from "./workspace-git-rig.ts";

let rig: GitRig;
beforeEach(async () => {
  rig = await gitRig();
});
afterEach(() => rig.end());

const fingerprint = (path: string) => fingerprintOf(path, join(rig.base, "scratch"));
const print = () => fingerprint(rig.path);
/** Whether `work` makes another fingerprint. */
const changes = async (work: () => Promise<unknown>): Promise<boolean> => {
  const before = await print();
  await work();
  const after = await print();
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(after).toMatch(/^[0-9a-f]{64}$/);
  return before !== after;
};

describe("a run has changed something when", () => {
  test("a file was edited, also to the same length", async () => {
    expect(await changes(() => rig.write("code.ts", "two\n"))).toBe(true);
    expect(await changes(() => rig.write("code.ts", "six\n"))).toBe(true);
  });
  test("a file is new", async () => expect(await changes(() => rig.write("a/b/new", ""))).toBe(true));
  test("a file was deleted", async () =>
    expect(await changes(() => unlink(join(rig.path, "old")))).toBe(true));
  test("a file became a program", async () => {
    expect(await changes(() => rig.git("update-index", "--chmod=+x", "old"))).toBe(true);
  });
  test("a link points elsewhere", async () => {
    await symlink("/nowhere", join(rig.path, "link"));
    const again = async () => {
      await unlink(join(rig.path, "link"));
      await symlink("/elsewhere", join(rig.path, "link"));
    };
    expect(await changes(again)).toBe(true);
  });
  test("there is a commit, also an empty one", async () => {
    expect(await changes(() => rig.git("commit", "--quiet", "--allow-empty", "--message", "x"))).toBe(true);
  });
  test("work was committed on another branch, or put on the stash", async () => {
    const elsewhere = async () => {
      await rig.git("checkout", "--quiet", "-b", "topic");
      await rig.commit("t", "t");
      await rig.git("checkout", "--quiet", "main");
    };
    expect(await changes(elsewhere)).toBe(true);
    await rig.write("code.ts", "stash me");
    expect(await changes(() => rig.git("stash"))).toBe(true);
  });
  test("another branch is checked out", async () => {
    expect(await changes(() => rig.git("checkout", "--quiet", "-b", "topic"))).toBe(true);
  });
  test("the refs were packed and then moved", async () => {
    await rig.git("pack-refs", "--all");
    expect(await changes(() => rig.commit("n", "n"))).toBe(true);
  });
});

describe("a run has changed nothing when", () => {
  test("files were read, touched, staged, or looked at with git", async () => {
    await rig.write("new", "new");
    await rig.write("code.ts", "changed");
    const nothing = async () => {
      await readFile(join(rig.path, "code.ts"));
      await utimes(join(rig.path, "code.ts"), 1, 1);
      await utimes(join(rig.path, "old"), 1, 1);
      await rig.git("status");
      await rig.git("diff");
      await rig.git("add", "--all");
      await rig.git("gc", "--quiet");
    };
    expect(await changes(nothing)).toBe(false);
  });
  test("only ignored files differ", async () => {
    await rig.write(".git/info/exclude", "mine\n");
    const ignored = async () => {
      await rig.write("ignored", "x");
      await rig.write("node_modules/a/index.js", "x");
      await rig.write("mine", "x");
    };
    expect(await changes(ignored)).toBe(false);
  });
  test("something was fetched", async () => {
    const other = join(rig.base, "other");
    await rig.in(rig.base, "clone", "--quiet", rig.remote, other);
    await rig.commit("theirs", "x", other);
    await rig.in(other, "push", "--quiet");
    expect(await changes(() => rig.git("fetch", "--quiet"))).toBe(false);
  });
});

test("a change within the second in which the index was written is noticed", async () => {
  await rig.write("code.ts", "1ne\n");
  await rig.git("add", "--all");
  const before = await print();
  await rig.write("code.ts", "2ne\n");
  const { mtime } = await stat(join(rig.path, ".git", "index"));
  await utimes(join(rig.path, "code.ts"), mtime, mtime);
  expect(await print()).not.toBe(before);
});

describe("the workspace may be", () => {
  test("a linked worktree; branches of others do not count", async () => {
    const linked = join(rig.base, "linked");
    await rig.git("worktree", "add", "--quiet", "-b", "mine", linked);
    const before = await fingerprint(linked);
    await rig.commit("elsewhere", "x");
    expect(await fingerprint(linked)).toBe(before);
    await rig.commit("here", "x", linked);
    expect(await fingerprint(linked)).not.toBe(before);
  });
  test("a shallow clone without its blobs: nothing is fetched for it", async () => {
    const partial = join(rig.base, "partial");
    await rig.in(rig.remote, "config", "uploadpack.allowFilter", "true");
    await rig.in(rig.base, "clone", "-q", "--depth=1", "--filter=blob:none", `file://${rig.remote}`, partial);
    await rename(rig.remote, `${rig.remote}.gone`);
    const before = await fingerprint(partial);
    expect(before).not.toBeNull();
    await rig.write("code.ts", "x", partial);
    expect(await fingerprint(partial)).not.toBe(before);
  });
  test("a repository without a commit", async () => {
    const fresh = join(rig.base, "fresh");
    await rig.in(rig.base, "init", "--quiet", fresh);
    const before = await fingerprint(fresh);
    await rig.write("a", "x", fresh);
    const after = await fingerprint(fresh);
    expect(new Set([before, after, null]).size).toBe(3);
  });
  test("with repositories in it: untracked clones, submodules and clones beside files", async () => {
    await rig.in(rig.base, "clone", "--quiet", rig.remote, join(rig.path, "deep", "clone"));
    await rig.addSubmodule();
    expect(await changes(() => rig.write("deep/clone/code.ts", "x"))).toBe(true);
    expect(await changes(() => rig.write("sub/code.ts", "x"))).toBe(true);
    const parent = join(rig.base, "root");
    const before = await fingerprint(parent);
    await rig.write("code.ts", "y");
    const edited = await fingerprint(parent);
    await rig.write("loose", "y", parent);
    expect(new Set([before, edited, await fingerprint(parent)]).size).toBe(3);
  });
  test("no repository at all", async () => {
    const plain = join(rig.base, "plain");
    await rig.write("a/b", "x", plain);
    const before = await fingerprint(plain);
    await utimes(join(plain, "a", "b"), 1, 1);
    expect(await fingerprint(plain)).toBe(before);
    await rig.write("a/b", "y", plain);
    expect(await fingerprint(plain)).not.toBe(before);
  });
});

test("it cannot be told where there is no directory, or git cannot read the repository", async () => {
  expect(await fingerprint(join(rig.base, "missing"))).toBeNull();
  await writeFile(join(rig.path, ".git", "index"), "no index");
  expect(await print()).toBeNull();
});

describe("a hostile repository", () => {
  test("has nothing of its own run: monitors, filters, hooks, includes, helpers, aliases", async () => {
    const trap = join(rig.base, "sprung");
    await rig.write("code.ts", "changed");
    await rig.setTraps(trap);
    // The traps are real: git itself walks into them.
    await rig.git("status").catch(() => {});
    expect(await readFile(trap, "utf8")).toContain("trap.sh");
    await rm(trap);
    await utimes(join(rig.path, "old"), 1, 1);
    const before = await print();
    await rig.write("code.ts", "other");
    expect(before).not.toBeNull();
    expect(await print()).not.toBe(before);
    await expect(stat(trap)).rejects.toThrow("ENOENT");
  });
  test("has nothing of its submodules run either", async () => {
    await rig.addSubmodule();
    // Of the same length, so that git has to compare contents, and filters them for that.
    await rig.write("sub/code.ts", "two\n");
    await rig.write("sub/.gitattributes", "* filter=trap\n");
    const trap = join(rig.base, "sprung");
    await rig.setTraps(trap);
    await rename(join(rig.path, ".git", "config"), join(rig.path, ".git", "modules", "sub", "config"));
    await rig.write(".git/config", "[core]\n\trepositoryFormatVersion = 0\n");
    await rename(join(rig.path, ".git", "included"), join(rig.path, ".git", "modules", "sub", "included"));
    await rig.git("status").catch(() => {});
    expect(await readFile(trap, "utf8")).toContain("trap.sh");
    await rm(trap);
    expect(await print()).not.toBeNull();
    await expect(stat(trap)).rejects.toThrow("ENOENT");
  });
  test("cannot make it wait: pipes where files should be", async () => {
    for (const name of [".git/HEAD", ".git/packed-refs", ".git/index", ".git/commondir"]) {
      await rm(join(rig.path, name), { force: true });
      execFileSync("mkfifo", [join(rig.path, name)]);
      expect(await print()).toBeNull();
      await rm(join(rig.path, name));
      if (name === ".git/HEAD") await writeFile(join(rig.path, name), "ref: refs/heads/main\n");
    }
  });
  test("leads nowhere by links: what is behind them is not read", async () => {
    await mkdir(join(rig.base, "outside"));
    await writeFile(join(rig.base, "outside", "secret"), "one");
    await rig.write("new/secret", "x");
    await rig.git("add", "--all");
    await rm(join(rig.path, "new"), { recursive: true });
    await symlink(join(rig.base, "outside"), join(rig.path, "new"));
    expect(await changes(() => writeFile(join(rig.base, "outside", "secret"), "two"))).toBe(false);
  });
});
