import { execFileSync } from "node:child_process";
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Refs } from "../../../../src/workspace/git/git-refs.ts";
import { type Shadow, withShadow } from "../../../../src/workspace/git/shadow.ts";

const [one, two] = ["1".repeat(40), "2".repeat(40)];
const long = "3".repeat(64);
let base: string;
let scratch: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-shadow-")));
  scratch = join(base, "state", "rescue");
  await mkdir(join(base, "repo", "objects"), { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(base, "repo", path)), { recursive: true });
  await writeFile(join(base, "repo", path), text);
};
const refs = (more: Partial<Refs> = {}): Refs => ({
  branch: "refs/heads/main",
  head: one,
  all: new Map([["refs/heads/main", one]]),
  stashed: [],
  ...more,
});
const shadowed = <T>(
  use: (shadow: Shadow, place: string) => Promise<T>,
  of: Refs = refs(),
  inside = true,
): Promise<T> => {
  const gitDir = join(base, "repo");
  return withShadow({ worktree: base, gitDir, commonDir: gitDir, inside }, of, scratch, async (shadow) => {
    const [name = ""] = await readdir(scratch);
    return use(shadow, join(scratch, name));
  });
};
const inShadow = (path: string, of?: Refs): Promise<string | null> =>
  shadowed((_, place) => readFile(join(place, path), "utf8").catch(() => null), of);

test("what an agent wrote into configuration, hooks and attributes stays behind", async () => {
  for (const path of ["config", "hooks/post-checkout", "info/attributes", "config.worktree"])
    await put(path, "[core]\n\tfsmonitor = trap\n");
  const files = await shadowed(async (_, place) => readdir(place, { recursive: true }));
  expect(files.toSorted()).toEqual(["HEAD", "config", "info", "packed-refs", "refs"]);
  expect(await inShadow("config")).toBe("[core]\n\tbare = false\n\trepositoryFormatVersion = 0\n");
});

test("the rules of what is ignored are taken over, the index too, and shallow ids that are ids", async () => {
  await put("info/exclude", "mine\n");
  await put("index", "the index");
  await put("sharedindex.0123abcd", "shared");
  await put("sharedindex.other", "not git's");
  await put("shallow", `${one}\nno id\n${two}0\n`);
  await shadowed(async (shadow, place) => {
    const read = (path: string) => readFile(join(place, path), "utf8");
    expect(await read("info/exclude")).toBe("mine\n");
    expect(await read("index")).toBe("the index");
    expect(await read("sharedindex.0123abcd")).toBe("shared");
    expect(await readdir(place)).not.toContain("sharedindex.other");
    expect([...shadow.shallow]).toEqual([one]);
    expect(await read("shallow")).toBe(`${one}\n`);
    expect(shadow).toMatchObject({ hasIndex: true, hasHead: true });
  });
});

test("the copy of the index looks older than it is: what changed in its second is compared by content", async () => {
  await put("index", "the index");
  await utimes(join(base, "repo", "index"), 1_000, 1_000);
  const mtimeMs = await shadowed(async (_, place) => (await lstat(join(place, "index"))).mtimeMs);
  expect(mtimeMs).toBe(999_000);
});

test("HEAD names its commit, but none without an index: git would call every file of it deleted", async () => {
  expect(await inShadow("HEAD")).toBe("ref: refs/heads/none-such\n");
  await put("index", "the index");
  expect(await inShadow("HEAD")).toBe(`${one}\n`);
  expect(await inShadow("HEAD", refs({ head: null }))).toBe("ref: refs/heads/none-such\n");
});

test("a repository of longer ids is said to be one, also where only a branch tells", async () => {
  for (const of of [{ head: long }, { head: null, all: new Map([["refs/heads/x", long]]) }])
    expect(await inShadow("config", refs(of))).toContain("objectFormat = sha256");
});

test("refs and shallow boundary are what was set last", async () => {
  await put("shallow", `${one}\n`);
  await shadowed(async (shadow, place) => {
    expect(await readFile(join(place, "packed-refs"), "utf8")).toBe(`${one} refs/heads/main\n`);
    await shadow.set(new Map([["refs/heads/b", two]]), new Set([two]));
    expect(await readFile(join(place, "packed-refs"), "utf8")).toBe(`${two} refs/heads/b\n`);
    expect(await readFile(join(place, "shallow"), "utf8")).toBe(`${two}\n`);
    await shadow.set(new Map(), new Set());
    expect(await readdir(place)).not.toContain("shallow");
  });
});

test("it lies in a directory of the daemon's user alone, and is gone whatever comes of its use", async () => {
  await shadowed(async () => {
    expect((await lstat(scratch)).mode & 0o777).toBe(0o700);
    expect((await readdir(scratch))[0]).toMatch(/^\.making-git-/);
  });
  expect(await readdir(scratch)).toEqual([]);
  await expect(shadowed(() => Promise.reject(new Error("oh")))).rejects.toMatchObject({
    message: `the repository of ${base} cannot be read: oh`,
  });
  expect(await readdir(scratch)).toEqual([]);
});

test("an index or rules that are a link or a pipe are refused, not followed and not waited for", async () => {
  await put("elsewhere", "gold");
  for (const path of ["index", "info/exclude", "shallow"]) {
    await mkdir(join(base, "repo", "info"), { recursive: true });
    await symlink(join(base, "repo", "elsewhere"), join(base, "repo", path));
    await expect(shadowed(async () => {})).rejects.toThrow("is not a regular file");
    await rm(join(base, "repo", path));
    execFileSync("mkfifo", [join(base, "repo", path)]);
    await expect(shadowed(async () => {})).rejects.toThrow("is not a regular file");
    await rm(join(base, "repo", path));
  }
});

test("objects that lead elsewhere are refused in a workspace; another's repository may have them", async () => {
  await symlink(base, join(base, "repo", "objects", "link"));
  await expect(shadowed(async () => {})).rejects.toThrow("is a link, a pipe or a device");
  await shadowed(async () => {}, refs(), false);
});
