import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { git, gitLines } from "../../../../src/workspace/git/git-call.ts";
import { gitEnvironment } from "../../../git-environment.ts";

let base: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-git-call-")));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const call = (...args: readonly string[]) => ({
  gitDir: join(base, ".git"),
  worktree: base,
  args,
  signal: new AbortController().signal,
  separator: "\0" as const,
});

/** A repository with two files in its index. */
async function repository(): Promise<void> {
  await writeFile(join(base, "a"), "");
  await writeFile(join(base, "b\nc"), "");
  const run = (...args: readonly string[]) =>
    execFileSync("git", ["-C", base, ...args], { env: { ...gitEnvironment, HOME: base } });
  run("init", "--quiet");
  run("add", "--all");
}

/** Puts a program in git's place, and `env` around it. */
async function inPlaceOfGit(script: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await mkdir(join(base, "bin"));
  await writeFile(join(base, "bin", "git"), `#!/bin/sh\n${script}\n`);
  await chmod(join(base, "bin", "git"), 0o755);
  const path = process.env["PATH"] ?? "";
  const before = { ...process.env };
  Object.assign(process.env, { PATH: `${join(base, "bin")}${delimiter}${path}`, ...env });
  onTestFinished(() => {
    for (const name of ["PATH", ...Object.keys(env)])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  });
}

test("records come as they are, whatever is in them", async () => {
  await repository();
  expect(await gitLines(call("ls-files", "-z"))).toEqual(["a", "b\nc"]);
});

test("what git says when it fails is told with the command and the place", async () => {
  await repository();
  await expect(gitLines(call("-c", "a.b=c", "rev-parse", "--verify", "none"))).rejects.toMatchObject({
    kind: "workspace_error",
    message: expect.stringMatching(new RegExp(`^git rev-parse in ${base}: fatal: Needed a single revision`)),
    hint: expect.any(String),
  });
});

test("who refuses a record of git's output ends git, and nobody else", async () => {
  await repository();
  const refusal = new Error("no more");
  let asked = 0;
  const refused = git({
    ...call("ls-files", "-z"),
    onRecord: () => {
      asked++;
      throw refusal;
    },
  });
  await expect(refused).rejects.toBe(refusal);
  expect(asked).toBe(1);
});

test("a directory that git may not read is not taken for an empty one, although git ends well", async () => {
  await inPlaceOfGit(
    "echo \"warning: could not open directory 'closed/': Permission denied\" >&2; printf 'a\\0'",
  );
  await expect(gitLines(call("ls-files"))).rejects.toThrow("could not open directory 'closed/'");
});

test("another warning is not taken for that", async () => {
  await inPlaceOfGit("echo 'warning: could not open directory' >&2; printf 'a\\0'");
  expect(await gitLines(call("ls-files"))).toEqual(["a"]);
});

test("nothing of the surroundings tells git where to look, what to run or who somebody is", async () => {
  const around = {
    HOME: base,
    GIT_DIR: "/x",
    GIT_SSH_COMMAND: "x",
    GIT_CONFIG_COUNT: "1",
    GIT_ASKPASS: "x",
    LINEAR_API_KEY: "x",
  };
  await inPlaceOfGit("env; printf '%s\\n' \"$@\"", around);
  const lines = await gitLines({ ...call("ls-files"), separator: "\n", objects: "/held" });
  for (const [name, value] of Object.entries(around)) expect(lines).not.toContain(`${name}=${value}`);
  for (const line of [
    "HOME=/nonexistent",
    "GIT_CONFIG_NOSYSTEM=1",
    "GIT_CONFIG_GLOBAL=/dev/null",
    "GIT_NO_LAZY_FETCH=1",
    "GIT_OBJECT_DIRECTORY=/held",
    "protocol.allow=never",
    "core.hooksPath=/dev/null",
    `--git-dir=${join(base, ".git")}`,
    "--work-tree=.",
  ])
    expect(lines).toContain(line);
});

test("without a checkout git is in none: not in the directory that this process happens to be in", async () => {
  await inPlaceOfGit("pwd; printf '%s\\n' \"$@\"");
  const lines = await gitLines({ ...call("rev-list"), worktree: null, separator: "\n" });
  expect(lines[0]).toBe("/");
  expect(lines).not.toContain("--work-tree=.");
});

test("the signal ends git", async () => {
  await inPlaceOfGit("printf 'a\\0'; exec sleep 600");
  const stop = new AbortController();
  const asked = git({ ...call("ls-files"), signal: stop.signal, onRecord: () => stop.abort() });
  await expect(asked).rejects.toMatchObject({ kind: "workspace_error" });
});
