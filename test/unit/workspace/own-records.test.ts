import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holding } from "../../../src/workspace/files/files.ts";
import { withinOwn, writeWhole } from "../../../src/workspace/own-records.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-own-")));
});
afterEach(() => rm(root, { recursive: true }));

const write = (text: string, replaces: boolean): Promise<boolean> =>
  holding(root, (held) => withinOwn(held, "kept", (own) => writeWhole(own, "a", text, { replaces })));

test("a file that is there is replaced only where that is meant, and nothing is left of what was not written", async () => {
  expect([await write("one", false), await write("two", false)]).toEqual([true, false]);
  expect(await readFile(join(root, ".baton", "kept", "a"), "utf8")).toBe("one");
  expect(await write("three", true)).toBe(true);
  expect(await readFile(join(root, ".baton", "kept", "a"), "utf8")).toBe("three");
  expect(await readdir(join(root, ".baton", "kept"))).toEqual(["a"]);
});
