import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { instant } from "../../src/domain/time.ts";
import { fingerprint } from "../../src/workspace/git/progress.ts";
import { rescue } from "../../src/workspace/rescue/rescuer.ts";
import { type GitRig, gitRig } from "./workspace-git-rig.ts";

let rig: GitRig;
let directory: string;
/** A repository of somebody else, beside the workspace. */
let stranger: string;
let secret: string;

beforeEach(async () => {
  rig = await gitRig();
  directory = join(rig.base, "state", "rescue");
  stranger = join(rig.base, "stranger");
  await rig.in(rig.base, "init", "--quiet", stranger);
  secret = await rig.commit("secret", "gold", stranger);
});
afterEach(() => rig.end());

const save = () =>
  rescue(
    { of: { identifier: "MT-1", issueId: "id-1" }, path: rig.path, why: "test" },
    { directory, now: () => instant(0) },
  );

/** Everything a rescue says and holds. */
async function saved(): Promise<string> {
  const rescued = await save();
  if (rescued === null) return "";
  return readFile(join(rescued.to, "manifest.json"), "utf8");
}

describe("a repository of somebody else is not the workspace's", () => {
  test.each<[string, () => Promise<void>]>([
    ["by a link", () => symlink(join(stranger, ".git"), join(rig.path, ".git"))],
    ["by a file", () => writeFile(join(rig.path, ".git"), `gitdir: ${join(stranger, ".git")}\n`)],
  ])("%s: what is there is saved as files", async (_, point) => {
    await rm(join(rig.path, ".git"), { recursive: true });
    await point();
    await rig.write("new", "x");
    const manifest = await saved();
    expect(manifest).not.toContain(secret);
    expect(JSON.parse(manifest)).toMatchObject({ repositories: [] });
    expect(await fingerprint(rig.path, directory)).not.toBeNull();
  });

  test("by commondir, which names where objects and refs are", async () => {
    await writeFile(join(rig.path, ".git", "commondir"), join(stranger, ".git"));
    await rig.write(".git/HEAD", "ref: refs/heads/main\n");
    expect(await saved()).not.toContain(secret);
  });

  test("and where git itself would go there, git is not run: that is said by name", async () => {
    await rig.write("sub/.git", `gitdir: ${join(stranger, ".git")}\n`);
    await expect(save()).rejects.toMatchObject({
      message: expect.stringContaining(`${rig.path}/sub/.git leads to a repository outside of the workspace`),
      hint: expect.any(String),
    });
    expect(await fingerprint(rig.path, directory)).toBeNull();
  });

  test("but a worktree inside the workspace is", async () => {
    await rig.git("worktree", "add", "--quiet", "-b", "mine", join(rig.path, "tree"));
    const head = await rig.commit("mine", "x", join(rig.path, "tree"));
    expect(await saved()).toContain(head);
  });

  test("and so are submodules of a linked worktree, which its repository keeps", async () => {
    await rig.addSubmodule();
    const main = join(rig.base, "main");
    await rename(rig.path, main);
    await rig.in(main, "worktree", "add", "--quiet", "-b", "mine", rig.path);
    await rig.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    const head = await rig.commit("in-sub", "x", join(rig.path, "sub"));
    expect(await saved()).toContain(head);
  });
});

describe("what would make git wait, or take all memory, is refused before git is run", () => {
  test.each([".gitignore", ".gitattributes", "deep/.gitignore", ".git/objects/pack/pack-1.idx"])(
    "%s as a pipe",
    async (name) => {
      await rig.write("new", "x");
      await mkdir(join(rig.path, name, ".."), { recursive: true });
      await rm(join(rig.path, name), { force: true });
      execFileSync("mkfifo", [join(rig.path, name)]);
      await expect(save()).rejects.toThrow(name);
    },
  );
  test("a file of rules of a terabyte", async () => {
    await truncate(join(rig.path, ".gitignore"), 2 ** 40);
    await expect(save()).rejects.toThrow("is longer than 1048576 bytes");
  });
});

test("an index that names files outside of the checkout is refused: git would read them", async () => {
  await rig.commit("long/0123", "x");
  const index = await readFile(join(rig.path, ".git", "index"));
  index.write("../../../", index.indexOf("long/0123"));
  index.fill(0, index.length - 20);
  await writeFile(join(rig.path, ".git", "index"), index);
  await expect(save()).rejects.toThrow("outside of the checkout");
});

test("a directory that git may not read is not taken for an empty one", async () => {
  await rig.write("closed/work", "x");
  await chmod(join(rig.path, "closed"), 0o000);
  const code = `
    const { fingerprint } = await import(${JSON.stringify(new URL("../../src/workspace/git/progress.ts", import.meta.url))});
    console.log(await fingerprint(process.argv[1], process.argv[2]));`;
  // Root may read everywhere: it has to give that up for this to prove anything.
  const asAnybody = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];
  const node = [process.execPath, "--input-type=module", "-e", code, rig.path, directory];
  expect(execFileSync("env", [...asAnybody, ...node], { encoding: "utf8" })).toBe("null\n");
  await chmod(join(rig.path, "closed"), 0o700);
});

test("what is made to look at a repository is made where no agent can write, not in the temporary directory", async () => {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = join(rig.base, "none");
  try {
    expect(await fingerprint(rig.path, directory)).not.toBeNull();
    expect(await readdir(directory)).toEqual([]);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});
