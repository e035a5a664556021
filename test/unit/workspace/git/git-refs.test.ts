import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isRefName, readRefs } from "../../../../src/workspace/git/git-refs.ts";

const [one, two] = ["1".repeat(40), "2".repeat(40)];
let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "git-refs-")));
  put("HEAD", "ref: refs/heads/main\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const read = () => readRefs({ worktree: folder, gitDir: folder, commonDir: folder, inside: true });

test("a loose ref wins over a packed one of the same name", async () => {
  put("packed-refs", `# pack-refs with: peeled\n${one} refs/heads/main\n${one} refs/tags/v1\n^${two}\n`);
  put("refs/heads/main", `${two}\n`);
  const { branch, head, all } = await read();
  expect([branch, head]).toEqual(["refs/heads/main", two]);
  expect(Object.entries(Object.fromEntries(all))).toEqual([
    ["refs/heads/main", two],
    ["refs/tags/v1", one],
  ]);
});

test("a branch without a commit has no head, a detached one no branch", async () => {
  expect(await read()).toMatchObject({ branch: "refs/heads/main", head: null });
  put("HEAD", `${one}\n`);
  expect(await read()).toMatchObject({ branch: null, head: one });
});

test("older entries of the stash are read, newest first", async () => {
  const line = (id: string): string => `${"0".repeat(40)} ${id} A <a@example.org> 0 +0000\tstash\n`;
  put("logs/refs/stash", line(one) + line(two) + line("3".repeat(40)));
  expect((await read()).stashed).toEqual([two, one]);
});

test("refs behind a link are another repository's, and refs of a form not read here are not none", async () => {
  symlinkSync(tmpdir(), join(folder, "refs"));
  await expect(read()).rejects.toThrow();
  rmSync(join(folder, "refs"));
  mkdirSync(join(folder, "reftable"));
  await expect(read()).rejects.toThrow("reftable");
});

test.each([
  "refs/heads/a..b",
  "refs/heads/a.lock",
  "refs/heads/.a",
  "heads/a",
  "refs/heads/a b",
  "refs/heads/@{1}",
  "refs/a/",
])("%s is no name of a ref", (name) => expect(isRefName(name)).toBe(false));
