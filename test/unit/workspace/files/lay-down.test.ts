import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isGits, layDown } from "../../../../src/workspace/files/lay-down.ts";

let ground = "";
const at = (path: string): string => join(ground, path);
beforeEach(() => {
  ground = mkdtempSync(join(tmpdir(), "lay-down-"));
  for (const folder of ["from/a", "to", "outside"]) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("from/a/b"), "saved");
});
afterEach(() => rmSync(ground, { recursive: true }));

test("a link on the way is replaced, and nothing is written behind it", async () => {
  symlinkSync(at("outside"), at("to/a"));
  await layDown(at("from"), at("to"), "a/b");
  expect(readFileSync(at("to/a/b"), "utf8")).toBe("saved");
  expect(lstatSync(at("to/a")).isDirectory()).toBe(true);
  expect(() => lstatSync(at("outside/b"))).toThrow("ENOENT");
});

test("a link at the end is replaced, not written through", async () => {
  mkdirSync(at("to/a"));
  writeFileSync(at("outside/b"), "theirs");
  symlinkSync(at("outside/b"), at("to/a/b"));
  await layDown(at("from"), at("to"), "a/b");
  expect(readFileSync(at("outside/b"), "utf8")).toBe("theirs");
  expect(lstatSync(at("to/a/b")).isFile()).toBe(true);
});

test("a saved link is laid down as a link, in place of a file or a directory", async () => {
  symlinkSync("anywhere", at("from/link"));
  mkdirSync(at("to/link/full"), { recursive: true });
  await layDown(at("from"), at("to"), "link");
  expect(readlinkSync(at("to/link"))).toBe("anywhere");
});

test.each([
  [".git/config", true],
  ["sub/.GIT/hooks/x", true],
  [".gitignore", false],
  ["a.git/x", false],
])("whether %s is git's own: %s", (path, is) => {
  expect(isGits(path)).toBe(is);
});
