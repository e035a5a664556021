import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holding, holdingIn, openDirectory } from "../../../../src/workspace/files/held.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-held-")));
  await mkdir(join(base, "a", "b"), { recursive: true });
  await mkdir(join(base, "outside"));
  await writeFile(join(base, "outside", "file"), "gold");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const swapForLink = async (path: string): Promise<void> => {
  await rename(path, `${path}.moved`);
  await symlink(join(base, "outside"), path);
};

test("what is done in a directory that is held is done there, also when a link has taken its place", async () => {
  await holding(join(base, "a"), async (held) => {
    await swapForLink(join(base, "a"));
    await writeFile(held.at("file"), "mine");
    expect(await readdir(held.here)).toEqual(["b", "file"]);
  });
  expect(await readFile(join(base, "outside", "file"), "utf8")).toBe("gold");
  expect(await readFile(join(base, "a.moved", "file"), "utf8")).toBe("mine");
});

test("a link is not held, neither at the end of a path nor on its way; the error has the path and a hint", async () => {
  await swapForLink(join(base, "a"));
  await mkdir(join(base, "outside", "b"));
  for (const path of [
    join(base, "a"),
    join(base, "a", "b"),
    join(base, "outside", "file"),
    join(base, "none"),
  ])
    await expect(holding(path, async () => {})).rejects.toMatchObject({
      kind: "workspace_error",
      message: expect.stringContaining(path),
      hint: expect.any(String),
    });
  await expect(openDirectory(join(base, "a", "b"))).rejects.toThrow("is really");
});

test("an entry of a directory that is held is told by its path, not by the way it was reached", async () => {
  await symlink(join(base, "outside"), join(base, "a", "link"));
  const refusal = holding(join(base, "a"), (held) => holdingIn(held, "link", async () => {}));
  await expect(refusal).rejects.toThrow(join(base, "a", "link"));
  await expect(refusal).rejects.not.toThrow("/proc/");
});
