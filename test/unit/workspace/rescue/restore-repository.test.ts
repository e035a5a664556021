import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RescuedRepository } from "../../../../src/workspace/rescue/manifest.ts";
import { restoreRepository } from "../../../../src/workspace/rescue/restore-repository.ts";
import { gitEnvironment } from "../../../git-environment.ts";
import { aRepository, someId } from "./made.ts";

let base = "";
let to = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "restore-repository-")));
  to = join(base, "to");
  mkdirSync(to);
});
afterEach(() => rmSync(base, { recursive: true }));

const restored = (more: Partial<RescuedRepository>) =>
  restoreRepository(base, aRepository(more), to, new AbortController().signal);

describe("without a bundle nothing is made", () => {
  test("and what the files belong to is said, with what was deleted of it", async () => {
    expect(await restored({ at: "sub", deleted: ["sub/a", "sub/b"] })).toEqual([
      `sub stood at ${someId} (refs/heads/main), which is on its remote: only files were saved. These were deleted: sub/a, sub/b.`,
    ]);
    expect(await restored({ branch: null })).toEqual([
      `The workspace stood at ${someId}, which is on its remote: only files were saved.`,
    ]);
    expect(readdirSync(to)).toEqual([]);
  });

  test("and of a repository without a commit there is nothing to say", async () => {
    expect(await restored({ head: null })).toEqual([]);
  });
});

test("a bundle that needs its remote is left where it is: how to fetch from it is said", async () => {
  const said = await restored({ bundle: "c.bundle", needs: [someId, "2".repeat(40)] });
  expect(said).toEqual([
    expect.stringContaining(
      `need ${someId}, ${"2".repeat(40)} of its remote: in a clone of it, run git fetch ${base}/c.bundle`,
    ),
  ]);
  expect(readdirSync(to)).toEqual([]);
});

describe("from a bundle", () => {
  const git = (directory: string, ...args: readonly string[]): string =>
    execFileSync("git", ["-C", directory, ...args], {
      env: { ...gitEnvironment, HOME: base },
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  let head = "";
  beforeEach(() => {
    const from = join(base, "from");
    mkdirSync(from);
    git(from, "init", "--quiet", "--initial-branch=other");
    writeFileSync(join(from, "a"), "saved");
    git(from, "add", "--all");
    git(from, "commit", "--quiet", "--message", "a");
    head = git(from, "rev-parse", "HEAD");
    git(from, "bundle", "create", "--quiet", join(base, "c.bundle"), "refs/heads/other");
  });

  test("it is checked out where and as it stood", async () => {
    const said = await restored({ at: "deep/sub", bundle: "c.bundle", branch: "refs/heads/topic", head });
    expect(said).toEqual([]);
    expect(readFileSync(join(to, "deep", "sub", "a"), "utf8")).toBe("saved");
    const sub = join(to, "deep", "sub");
    expect(git(sub, "symbolic-ref", "HEAD")).toBe("refs/heads/topic");
    expect(git(sub, "rev-parse", "HEAD", "other")).toBe(`${head}\n${head}`);
  });

  test("on no branch where it was on none, and that its history ends is said", async () => {
    const said = await restored({ bundle: "c.bundle", branch: null, head, shallow: [head] });
    expect(said).toEqual(["The workspace has no history before the saved commits: that is on its remote."]);
    expect(() => git(to, "symbolic-ref", "--quiet", "HEAD")).toThrow();
    expect(git(to, "rev-parse", "HEAD", "--is-shallow-repository")).toBe(`${head}\ntrue`);
  });

  test("where what it stood at is not among the saved commits, nothing is checked out, and that is said", async () => {
    expect(await restored({ bundle: "c.bundle" })).toEqual([
      `The workspace stood at ${someId} (refs/heads/main), which is on its remote: nothing is checked out there.`,
    ]);
    expect(readdirSync(to)).toEqual([".git"]);
    expect(git(to, "rev-parse", "other")).toBe(head);
  });

  test("nothing of this machine's templates comes with it", async () => {
    await restored({ bundle: "c.bundle", branch: null, head });
    expect(existsSync(join(to, ".git", "hooks"))).toBe(false);
  });
});
