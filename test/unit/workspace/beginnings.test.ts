import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { beginningOf, forgetBeginning, keepBeginning } from "../../../src/workspace/beginnings.ts";
import { holding } from "../../../src/workspace/files/files.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "baton-beginnings-")));
});
afterEach(() => rm(root, { recursive: true }));

const beginning = { commits: new Set(["a".repeat(40)]), files: new Map([["env", "1:2:3"]]) };

test("what was there is known until it is forgotten; what nobody knows is null", () =>
  holding(root, async (held) => {
    expect(await beginningOf(held, "MT-1")).toBeNull();
    await keepBeginning(held, "MT-1", beginning);
    expect(await beginningOf(held, "MT-1")).toEqual(beginning);
    await forgetBeginning(held, "MT-1");
    expect(await beginningOf(held, "MT-1")).toBeNull();
  }));

test("a record that cannot be read stands for nothing: then all there is may be somebody's work", () =>
  holding(root, async (held) => {
    await keepBeginning(held, "MT-1", beginning);
    await writeFile(join(root, ".baton", "begun", "MT-1.json"), "{");
    expect(await beginningOf(held, "MT-1")).toBeNull();
  }));
