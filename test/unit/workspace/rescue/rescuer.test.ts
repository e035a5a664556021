import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FactBody } from "../../../../src/domain/fact.ts";
import { instant } from "../../../../src/domain/time.ts";
import { createRescuer, leftOutWords, rescue } from "../../../../src/workspace/rescue/rescuer.ts";
import { listRescues } from "../../../../src/workspace/rescue/rescues.ts";

let base: string;
let path: string;
let directory: string;
let facts: FactBody[];
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-rescuer-")));
  path = join(base, "MT-1");
  directory = join(base, "state", "rescue");
  facts = [];
  await mkdir(path);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const place = () => ({ directory, now: () => instant(Date.UTC(2031, 4, 9, 8, 1, 2, 3)) });
const of = { identifier: "MT-1", issueId: "id-1" };
const save = (signal?: AbortSignal) => rescue({ of, path, why: "done", signal }, place());
const told = () => createRescuer(place()).rescue({ of, path, why: "done" }, (fact) => facts.push(fact));

test("where there is nothing to save nothing is made and nothing is told", async () => {
  await told();
  expect([facts, await readdir(directory).catch(() => [])]).toEqual([[], []]);
});

test("what is saved says whose it is, why and when, in its name to the second", async () => {
  await writeFile(join(path, "work"), "xyz");
  expect((await save())?.manifest).toMatchObject({
    id: "MT-1-20310509T080102Z",
    identifier: "MT-1",
    issue_id: "id-1",
    workspace: path,
    rescued_at: "2031-05-09T08:01:02.003Z",
    why: "done",
    files: [{ path: "work", bytes: 3 }],
    bytes: 3,
  });
});

test("a rescue is told once: the same state again, as after a removal that failed, makes neither noise nor copies", async () => {
  await writeFile(join(path, "work"), "xyz");
  await told();
  await told();
  expect(facts).toEqual([
    {
      type: "workspace_rescued",
      path,
      to: join(directory, "MT-1-20310509T080102Z"),
      files: 1,
      commits: 0,
      bytes: 3,
    },
  ]);
  await writeFile(join(path, "work"), "abc");
  await told();
  expect(facts).toHaveLength(2);
});

test("the same state of another issue is another rescue, also when its name begins like this one's", async () => {
  await writeFile(join(path, "work"), "xyz");
  await rescue({ of: { ...of, identifier: "MT-1-b" }, path, why: "done" }, place());
  expect((await save())?.again).toBe(false);
  expect(await listRescues(directory)).toHaveLength(2);
});

test("what a rescue does not hold is a warning of its own", async () => {
  await writeFile(join(path, "work"), "xyz");
  execFileSync("mkfifo", [join(path, "pipe")]);
  await told();
  expect(facts.at(-1)).toEqual({
    type: "warning",
    message: `${join(directory, "MT-1-20310509T080102Z")} does not hold everything of ${path}: pipe (it is no file) left out`,
  });
});

test("what is given up and what fails are told apart, and of neither anything is left", async () => {
  await writeFile(join(path, "work"), "xyz");
  await expect(save(AbortSignal.abort())).rejects.toThrow("was not saved before Baton had to stop");
  await rm(path, { recursive: true });
  await symlink(base, path);
  await expect(save(new AbortController().signal)).rejects.toMatchObject({
    kind: "workspace_error",
    message: expect.stringContaining("could not be saved, so it stays"),
    hint: expect.any(String),
  });
  expect(await readdir(directory).catch(() => [])).toEqual([]);
});

test("of many things left out three are named, and all others are counted, listed or not", () => {
  const named = (count: number) => Array.from({ length: count }, (_, n) => ({ path: `p${n}`, why: "large" }));
  expect(leftOutWords({ left_out: [], left_out_more: 0 })).toBeNull();
  expect(leftOutWords({ left_out: named(3), left_out_more: 0 })).toBe(
    "p0 (large), p1 (large), p2 (large) left out",
  );
  expect(leftOutWords({ left_out: named(5), left_out_more: 10 })).toBe(
    "p0 (large), p1 (large), p2 (large) and 12 more left out",
  );
});
