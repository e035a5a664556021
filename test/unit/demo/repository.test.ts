import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitOn, gitVersion, makeOrigin } from "../../../src/demo/repository.ts";
import { gitEnvironment } from "../../git-environment.ts";

let folder = "";
let origin = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "demo-repository-"));
  origin = join(folder, "origin.git");
  mkdirSync(join(folder, "draft"));
  await makeOrigin(origin, join(folder, "draft"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, env: gitEnvironment, encoding: "utf8" }).trim();

test("a clone of the origin passes its own checks", () => {
  git(folder, "clone", "--quiet", origin, "clone");
  expect(execFileSync("sh", ["test.sh"], { cwd: join(folder, "clone"), encoding: "utf8" })).toBe(
    "1 passed, 0 failed\n",
  );
});

test("the last commit of a branch is told, and none where there is nothing but what main has", async () => {
  const clone = join(folder, "work");
  git(folder, "clone", "--quiet", origin, clone);
  git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/same");
  git(clone, "commit", "--quiet", "--allow-empty", "--message=Work");
  git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/agent/DEMO-1");
  expect(git(clone, "rev-parse", "HEAD")).toContain((await commitOn(origin, "agent/DEMO-1")) ?? "none");
  expect(await commitOn(origin, "same")).toBeNull();
  expect(await commitOn(origin, "nobody")).toBeNull();
});

test("the version of git is a number", async () => {
  expect(await gitVersion()).toMatch(/^\d+\.\d+/);
});
