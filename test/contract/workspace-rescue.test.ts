import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FactBody } from "../../src/domain/fact.ts";
import { instant } from "../../src/domain/time.ts";
import { createDiskWorkspaces } from "../../src/workspace/disk.ts";
import { createRescuer, rescue } from "../../src/workspace/rescue/rescuer.ts";
import { findRescue, listRescues, pruneRescues } from "../../src/workspace/rescue/rescues.ts";
import { restore } from "../../src/workspace/rescue/restore.ts";
import type { HookCall, HookOutcome } from "../../src/workspace/hooks/port.ts";
import type { WorkspaceFor } from "../../src/workspace/port.ts";
import { type GitRig, gitRig } from "./workspace-git-rig.ts";
import { whose } from "../whose.ts";

const at = instant(Date.UTC(2031, 4, 9, 8));
const DAY_MS = 86_400_000;
let rig: GitRig;
let directory: string;
let facts: FactBody[];
const report = (fact: FactBody): void => void facts.push(fact);

beforeEach(async () => {
  rig = await gitRig();
  directory = join(rig.base, "state", "rescue");
  facts = [];
});
afterEach(() => rig.end());

const of = { identifier: "MT-1", issueId: "id-1" };
const save = async (path = rig.path) => {
  const saved = await rescue({ of, path, why: "test" }, { directory, now: () => at });
  if (saved === null) throw new Error("nothing was saved");
  return saved;
};
const nothing = (path = rig.path) => rescue({ of, path, why: "test" }, { directory, now: () => at });
/** Saves, loses the workspace, and restores. */
const thereAndBack = async (path = rig.path) => {
  const saved = await save(path);
  await rename(path, join(rig.base, "lost"));
  const restored = await restore(saved, join(rig.base, "back"));
  return { ...saved, ...restored };
};
const back = (...args: string[]) => rig.in(join(rig.base, "back"), ...args);
const read = (path: string) => readFile(join(rig.base, "back", path), "utf8");

describe("there is nothing to save where", () => {
  test("everything is pushed, and only ignored files are there", async () => {
    await rig.write("ignored", "x");
    expect(await nothing()).toBeNull();
    expect(await readdir(directory)).toEqual([]);
  });
  test("the directory is empty", async () => {
    await mkdir(join(rig.base, "empty"));
    expect(await nothing(join(rig.base, "empty"))).toBeNull();
  });
});

describe("what is saved comes back", () => {
  test("commits and files, on their branch, without the remote", async () => {
    await rig.git("checkout", "--quiet", "-b", "topic");
    const first = await rig.commit("a", "a");
    const head = await rig.commit("b", "b");
    await rig.write("code.ts", "edited");
    await rig.write("new/file", "new");
    await rig.write("ignored", "not work");
    await unlink(join(rig.path, "old"));
    await rename(rig.remote, `${rig.remote}.gone`);
    const { manifest, commits, files, notes } = await thereAndBack();
    expect([commits, files]).toEqual([2, 2]);
    expect(manifest).toMatchObject({
      id: "MT-1-20310509T080000Z",
      identifier: "MT-1",
      issue_id: "id-1",
      why: "test",
      repositories: [{ branch: "refs/heads/topic", head, commits: 2, needs: [], deleted: ["old"] }],
      left_out: [],
    });
    expect(await back("rev-parse", "HEAD", "HEAD~1")).toBe(`${head}\n${first}`);
    expect(await back("symbolic-ref", "HEAD")).toBe("refs/heads/topic");
    expect(await back("status", "--porcelain")).toBe("M code.ts\n D old\n?? new/");
    expect([await read("a"), await read("code.ts"), await read("new/file")]).toEqual(["a", "edited", "new"]);
    expect(await back("fsck", "--no-progress")).toBe("");
    expect(notes.join()).toContain("no history before the saved commits");
  });
  test("with all of its history where there is no remote", async () => {
    const alone = join(rig.base, "alone");
    await rig.in(rig.base, "init", "--quiet", alone);
    await rig.commit("a", "a", alone);
    const head = await rig.commit("b", "b", alone);
    expect((await thereAndBack(alone)).notes).toEqual([]);
    expect(await back("rev-parse", "HEAD")).toBe(head);
    expect(await back("rev-list", "--count", "HEAD")).toBe("2");
  });
  test("commits of other branches, of no branch, of tags and of the stash, also below its top", async () => {
    await rig.git("checkout", "--quiet", "-b", "other");
    const other = await rig.commit("other", "x");
    await rig.git("checkout", "--quiet", "main");
    for (const content of ["one", "two"]) {
      await rig.write("code.ts", content);
      await rig.git("stash");
    }
    await rig.git("checkout", "--quiet", "--detach");
    await rig.commit("tagged", "x");
    await rig.git("tag", "--annotate", "mine", "--message", "m");
    await rig.git("checkout", "--quiet", "main");
    await rig.git("checkout", "--quiet", "--detach");
    const head = await rig.commit("detached", "x");
    await thereAndBack();
    expect(await back("rev-parse", "HEAD", "other")).toBe(`${head}\n${other}`);
    expect(await back("show", "mine:tagged")).toBe("x");
    expect(await back("show", "refs/stash:code.ts")).toBe("two");
    expect(await back("show", "refs/rescue/stash-1:code.ts")).toBe("one");
  });
  test("a merge with what others pushed", async () => {
    const other = join(rig.base, "other");
    await rig.in(rig.base, "clone", "--quiet", rig.remote, other);
    await rig.commit("theirs", "x", other);
    await rig.in(other, "push", "--quiet");
    await rig.commit("ours", "x");
    await rig.git("fetch", "--quiet");
    await rig.git("merge", "--quiet", "origin/main");
    const { manifest } = await thereAndBack();
    expect(manifest.repositories[0]?.commits).toBe(2);
    expect(await back("status", "--porcelain")).toBe("");
    expect([await read("ours"), await read("theirs")]).toEqual(["x", "x"]);
    expect(await back("fsck", "--no-progress")).toBe("");
  });
  test("only files where all commits are pushed; what they belong to is said", async () => {
    await rig.write("code.ts", "edited");
    await unlink(join(rig.path, "old"));
    const head = await rig.git("rev-parse", "HEAD");
    const { manifest, notes } = await thereAndBack();
    expect(manifest.repositories[0]?.bundle).toBeNull();
    expect(await readdir(join(rig.base, "back"))).toEqual(["code.ts"]);
    expect(notes.join()).toContain(head);
    expect(notes.join()).toContain("deleted: old");
  });
  test("a program stays one, a link is a link", async () => {
    await rig.write("run", "#!/bin/sh\n");
    await chmod(join(rig.path, "run"), 0o755);
    await symlink("../../outside", join(rig.path, "link"));
    await thereAndBack();
    expect((await lstat(join(rig.base, "back", "run"))).mode & 0o100).not.toBe(0);
    expect(await readlink(join(rig.base, "back", "link"))).toBe("../../outside");
  });
  test("a linked worktree: its own branch, not those of others", async () => {
    await rig.git("checkout", "--quiet", "-b", "others");
    await rig.commit("others", "x");
    const linked = join(rig.base, "linked");
    await rig.git("worktree", "add", "--quiet", "-b", "mine", linked, "main");
    const head = await rig.commit("mine", "x", linked);
    await rig.write("code.ts", "edited", linked);
    const { manifest } = await thereAndBack(linked);
    expect(manifest.repositories[0]).toMatchObject({ head, commits: 1, branch: "refs/heads/mine" });
    expect(await back("for-each-ref", "--format=%(refname)")).toBe("refs/heads/mine\nrefs/rescue/head");
    expect(await read("code.ts")).toBe("edited");
  });
  test("a shallow clone", async () => {
    const shallow = join(rig.base, "shallow");
    await rig.in(rig.base, "clone", "--quiet", "--depth=1", `file://${rig.remote}`, shallow);
    const head = await rig.commit("a", "a", shallow);
    await thereAndBack(shallow);
    expect(await back("rev-parse", "HEAD")).toBe(head);
    expect(await back("status", "--porcelain")).toBe("");
  });
  test("a clone without its blobs: the commits alone, and what they need", async () => {
    const partial = join(rig.base, "partial");
    await rig.commit("deep/down", "not fetched");
    await rig.git("push", "--quiet");
    await rig.in(rig.remote, "config", "uploadpack.allowFilter", "true");
    await rig.in(rig.base, "clone", "-q", "--filter=blob:none", "--sparse", `file://${rig.remote}`, partial);
    const base = await rig.in(partial, "rev-parse", "HEAD");
    const head = await rig.commit("a", "a", partial);
    const { manifest, to, notes } = await thereAndBack(partial);
    expect(manifest.repositories[0]).toMatchObject({ needs: [base], commits: 1 });
    expect(notes.join()).toContain(`need ${base}`);
    const bundle = join(directory, manifest.id, "commits-0.bundle");
    expect(to).toBe(join(rig.base, "back"));
    await rig.git("fetch", "--quiet", bundle, "+refs/*:refs/rescued/*");
    expect(await rig.git("rev-parse", "refs/rescued/rescue/head")).toBe(head);
  });
  test("repositories in the workspace: submodules, clones, and files beside them", async () => {
    const parent = join(rig.base, "root");
    await rig.addSubmodule();
    const sub = await rig.commit("in-sub", "x", join(rig.path, "sub"));
    await rig.write("sub/code.ts", "edited");
    await rig.write("loose", "x", parent);
    const { manifest } = await thereAndBack(parent);
    expect(manifest.repositories.map(({ at, commits }) => [at, commits])).toEqual([
      ["MT-1", 1],
      ["MT-1/sub", 1],
    ]);
    expect(await back("-C", "MT-1/sub", "rev-parse", "HEAD")).toBe(sub);
    expect([await read("loose"), await read("MT-1/sub/code.ts")]).toEqual(["x", "edited"]);
  });
  test("a plain directory", async () => {
    await rig.write("a/b", "x", join(rig.base, "plain"));
    await thereAndBack(join(rig.base, "plain"));
    expect(await read("a/b")).toBe("x");
  });
});

describe("a rescue", () => {
  test("is for the daemon's user alone", async () => {
    await rig.write("new", "x");
    const { to } = await save();
    expect((await lstat(to)).mode & 0o777).toBe(0o700);
    expect((await lstat(join(to, "files", "new"))).mode & 0o077).toBe(0);
  });
  test("of the very same state is made once, of another one anew", async () => {
    await rig.write("new", "x");
    const first = await save();
    expect(await save()).toMatchObject({ to: first.to, again: true });
    await rig.write("new", "y");
    expect(await save()).toMatchObject({ to: `${first.to}-2`, again: false });
    expect((await listRescues(directory)).map(({ manifest }) => manifest.id).sort()).toEqual([
      "MT-1-20310509T080000Z",
      "MT-1-20310509T080000Z-2",
    ]);
  });
  test("is found by its id, and the newest by its issue", async () => {
    await rig.write("new", "x");
    const { to, manifest } = await save();
    for (const name of [manifest.id, "MT-1", "id-1"])
      expect((await findRescue(directory, name))?.to).toBe(to);
    expect(await findRescue(directory, "../MT-1")).toBeNull();
    expect(await findRescue(join(directory, "none"), "MT-1")).toBeNull();
  });
  test("that was cut short by a crash is none, and goes away after a day", async () => {
    await rig.write("new", "x");
    const { to } = await save();
    await rename(to, join(directory, ".making-1"));
    expect(await listRescues(directory)).toEqual([]);
    const now = instant(Date.now());
    await pruneRescues(directory, 14, now);
    expect(await readdir(directory)).toContain(".making-1");
    await pruneRescues(directory, 14, instant(now + 2 * DAY_MS));
    expect(await readdir(directory)).toEqual([".trash"]);
  });
  test("is kept as long as it was said, and then removed", async () => {
    await rig.write("new", "x");
    const { manifest } = await save();
    expect(await pruneRescues(directory, 14, instant(at + 14 * DAY_MS))).toEqual([]);
    expect(await pruneRescues(directory, 14, instant(at + 14 * DAY_MS + 1))).toEqual([manifest.id]);
    expect(await listRescues(directory)).toEqual([]);
    expect(await pruneRescues(join(directory, "none"), 14, at)).toEqual([]);
  });
  test("names what it leaves out: what is too large, and what is no file", async () => {
    await rig.write("huge", "");
    await truncate(join(rig.path, "huge"), 2 ** 40);
    await rig.write("small", "x");
    const { manifest } = await save();
    expect(manifest.files.map(({ path }) => path)).toEqual(["small"]);
    expect(manifest.left_out).toEqual([{ path: "huge", why: "it has 1.0 TiB, more than 512 MiB" }]);
  });
  test("that cannot be made is none: nothing half made is left", async () => {
    await rig.commit("a", "a");
    await writeFile(join(rig.path, ".git", "index"), "no index");
    await expect(save()).rejects.toMatchObject({
      kind: "workspace_error",
      message: expect.stringContaining("could not be saved, so it stays"),
    });
    expect(await readdir(directory).catch(() => [])).toEqual([]);
  });
});

describe("restoring", () => {
  test("never takes the place of anything", async () => {
    await rig.write("new", "x");
    const saved = await save();
    await expect(restore(saved, rig.path)).rejects.toMatchObject({ hint: expect.stringContaining("--to") });
    await expect(restore(saved, join(rig.path, "code.ts"))).rejects.toThrow("is there already");
    expect((await readdir(rig.path)).includes("old")).toBe(true);
  });
  test("leaves nothing behind when it fails", async () => {
    await rig.commit("a", "a");
    const saved = await save();
    await writeFile(join(saved.to, "commits-0.bundle"), "no bundle");
    await expect(restore(saved, join(rig.base, "here", "back"))).rejects.toThrow("cannot be restored");
    expect(await readdir(join(rig.base, "here"))).toEqual([]);
  });
  test("writes through no link that its commits hold", async () => {
    const outside = join(rig.base, "outside");
    await mkdir(outside);
    await symlink(outside, join(rig.path, "way"));
    await rig.commit("a", "a");
    await unlink(join(rig.path, "way"));
    await rig.write("way/file", "caught");
    await thereAndBack();
    expect(await readdir(outside)).toEqual([]);
    expect(await read("way/file")).toBe("caught");
  });
  test("refuses a manifest whose paths lead out", async () => {
    await rig.write("new", "x");
    const { to } = await save();
    const text = await readFile(join(to, "manifest.json"), "utf8");
    await writeFile(join(to, "manifest.json"), text.replaceAll('"new"', '"../new"'));
    expect(await listRescues(directory)).toEqual([]);
  });
});

describe("a hostile repository", () => {
  test("has nothing of its own run, when it is saved and when it is restored", async () => {
    await rig.commit("a", "a");
    await rig.write("code.ts", "edited");
    const trap = join(rig.base, "sprung");
    await rig.setTraps(trap);
    const { commits, files } = await thereAndBack();
    expect([commits, files]).toEqual([1, 2]);
    await expect(lstat(trap)).rejects.toThrow("ENOENT");
    expect(await back("config", "--list", "--local")).not.toContain("trap");
  });
  test("leads nowhere by links on the way to a file", async () => {
    const outside = join(rig.base, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "secret"), "gold");
    await rig.commit("new/secret", "x");
    await rm(join(rig.path, "new"), { recursive: true });
    await symlink(outside, join(rig.path, "new"));
    const { to, manifest } = await save();
    expect(manifest.files).toEqual([{ path: "new", bytes: 0 }]);
    expect(manifest.repositories[0]?.deleted).toEqual(["new/secret"]);
    expect(await readdir(join(to, "files"))).toEqual(["new"]);
    expect(await readlink(join(to, "files", "new"))).toBe(outside);
  });
  test("cannot name refs that lead out of where they belong", async () => {
    const head = await rig.commit("a", "a");
    await writeFile(
      join(rig.path, ".git", "packed-refs"),
      `${head} refs/heads/../../config\n${head} refs/heads/x y\n`,
    );
    const { manifest } = await thereAndBack();
    expect(manifest.repositories[0]?.refs).toEqual(["refs/heads/main", "refs/rescue/head"]);
  });
});

describe("a workspace that is removed", () => {
  const issue = (hooks: Partial<WorkspaceFor["hooks"]> = {}): WorkspaceFor => ({
    ...of,
    runId: null,
    mark: null,
    workspace: { root: join(rig.base, "root"), minFreeBytes: 0, maxBytes: null },
    hooks: {
      afterCreate: null,
      beforeRun: null,
      afterRun: null,
      beforeRemove: null,
      timeoutMs: 1_000,
      ...hooks,
    },
    ...whose,
    envPass: [],
  });
  const workspaces = (before: () => Promise<void> = async () => {}) =>
    createDiskWorkspaces(
      { run: async () => before().then(() => ({ ok: true, output: "" })), now: () => 0 },
      createRescuer({ directory, now: () => at }),
    );

  test("is saved first, and that is told", async () => {
    await rig.commit("a", "a");
    await rig.write("new", "x");
    expect(await workspaces().remove(issue(), report)).toBe(true);
    const to = join(directory, "MT-1-20310509T080000Z");
    expect(facts).toEqual([
      { type: "workspace_rescued", path: rig.path, to, files: 1, commits: 1, bytes: expect.any(Number) },
      { type: "workspace_removed", path: rig.path },
    ]);
    await expect(lstat(rig.path)).rejects.toThrow("ENOENT");
  });
  test("with nothing to save is removed without a word", async () => {
    await workspaces().remove(issue(), report);
    expect(facts).toEqual([{ type: "workspace_removed", path: rig.path }]);
  });
  test("is saved before before_remove, which may remove it itself", async () => {
    await rig.write("new", "x");
    const gone = () => rm(rig.path, { recursive: true });
    await workspaces(gone).remove(issue({ beforeRemove: "x" }), report);
    expect(facts.map(({ type }) => type)).toEqual([
      "workspace_rescued",
      "hook_started",
      "hook_ran",
      "workspace_removed",
    ]);
  });
  test("stays when it cannot be saved, hooks and all", async () => {
    await rig.write("new", "x");
    await writeFile(directory.replace(/\/rescue$/, ""), "a file where the state should be");
    let ran = false;
    const removing = workspaces(async () => {
      ran = true;
    }).remove(issue({ beforeRemove: "x" }), report);
    await expect(removing).rejects.toMatchObject({ kind: "workspace_error" });
    expect([ran, facts]).toEqual([false, []]);
    expect(await readFile(join(rig.path, "new"), "utf8")).toBe("x");
  });
});

describe("what was there when the workspace was made", () => {
  const hooks = {
    afterCreate: "clone",
    beforeRun: null,
    afterRun: null,
    beforeRemove: null,
    timeoutMs: 60_000,
  };
  const issue = (more: Partial<WorkspaceFor["hooks"]> = {}): WorkspaceFor => ({
    identifier: "MT-2",
    issueId: "id-2",
    runId: null,
    mark: null,
    workspace: { root: join(rig.base, "root"), minFreeBytes: 0, maxBytes: null },
    hooks: { ...hooks, ...more },
    ...whose,
    envPass: [],
  });
  const live = new AbortController().signal;
  const path = (): string => join(rig.base, "root", "MT-2");

  // A clone with many tags on no branch, an untracked file and a changed one, as hooks make them.
  async function hook({ hook }: HookCall): Promise<HookOutcome> {
    if (hook === "after_create") {
      await rig.in(rig.base, "clone", "--quiet", rig.remote, path());
      await rig.write("env", "made by the hook", path());
    } else await rig.write("code.ts", "patched", path());
    return { ok: true, output: "" };
  }
  async function tagsOnNoBranch(): Promise<void> {
    await rig.git("checkout", "--quiet", "--detach");
    for (let n = 0; n < 20; n += 1) {
      await rig.commit("release", `${n}`);
      await rig.git(
        "tag",
        n % 2 === 0 ? `v${n}` : `--annotate`,
        ...(n % 2 === 0 ? [] : ["-m", "x", `v${n}`]),
      );
    }
    await rig.git("push", "--quiet", "origin", "--tags");
  }
  const workspaces = () =>
    createDiskWorkspaces({ run: hook, now: () => 0 }, createRescuer({ directory, now: () => at }));

  test("is not saved from a clean clone with tags on no branch, whatever the hooks wrote", async () => {
    await tagsOnNoBranch();
    const all = workspaces();
    const of = issue({ beforeRun: "patch" });
    const made = await all.prepare(of, () => {}, live);
    await all.beforeRun(of, made, () => {}, live);
    // The next life of the daemon knows it by what is written down.
    expect(await workspaces().remove(of, report)).toBe(true);
    expect(facts.map(({ type }) => type)).toEqual(["workspace_removed"]);
  });

  test("is left out of what is saved of the agent's own work", async () => {
    await tagsOnNoBranch();
    const all = workspaces();
    const made = await all.prepare(issue(), () => {}, live);
    await all.beforeRun(issue(), made, () => {}, live);
    await rig.commit("own", "own", path());
    await rig.write("env", "edited by the agent", path());
    await rig.write("new", "x", path());
    await all.remove(issue(), report);
    expect(facts[0]).toMatchObject({ type: "workspace_rescued", commits: 1, files: 2 });
  });

  test("is nobody's word to keep for a directory that an agent may have been in before anybody looked", async () => {
    await rig.in(rig.base, "clone", "--quiet", rig.remote, path());
    await rig.write("new", "x", path());
    const all = workspaces();
    const found = await all.prepare(issue(), () => {}, live);
    await all.beforeRun(issue(), found, () => {}, live);
    await all.remove(issue(), report);
    expect(facts[0]).toMatchObject({ type: "workspace_rescued", files: 1 });
  });
});
