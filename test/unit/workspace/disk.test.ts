import { execFile } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FactBody } from "../../../src/domain/fact.ts";
import { createDiskWorkspaces } from "../../../src/workspace/disk.ts";
import type { RunHook } from "../../../src/workspace/hooks/port.ts";
import type { WorkspaceFor, Workspaces } from "../../../src/workspace/port.ts";
import { idOf, whose } from "../../whose.ts";

const run = promisify(execFile);
const live = new AbortController().signal;

let base: string;
let root: string;
let outside: string;
let facts: FactBody[];
const report = (fact: FactBody): void => void facts.push(fact);

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-disk-")));
  root = join(base, "root");
  outside = join(base, "outside");
  facts = [];
  await mkdir(join(outside, "dir"), { recursive: true });
  await writeFile(join(outside, "dir", "treasure"), "gold");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const expectOutsideUntouched = async (): Promise<void> => {
  expect(await readdir(outside)).toEqual(["dir"]);
  expect(await readFile(join(outside, "dir", "treasure"), "utf8")).toBe("gold");
};

const quiet: RunHook = async () => ({ ok: true, output: "" });
const disk = (hook: RunHook = quiet): Workspaces =>
  createDiskWorkspaces({ run: hook, now: () => performance.now() });

test("what could not be deleted is tried again by the hour, by whoever asks what there is", async () => {
  let now = 0;
  const workspaces = createDiskWorkspaces({ run: quiet, now: () => now });
  await mkdir(join(root, ".trash"), { recursive: true });
  await workspaces.existing(settings());
  const left = join(root, ".trash", "left");
  await mkdir(join(left, "deep"), { recursive: true });
  await workspaces.existing(settings());
  expect(await readdir(join(root, ".trash"))).toEqual(["left"]);
  now += 60 * 60_000;
  expect(await workspaces.existing(settings())).toEqual([]);
  expect(await readdir(join(root, ".trash"))).toEqual([]);
});

const settings = () => ({ root, minFreeBytes: 0, maxBytes: null });

/** All hooks are set, so that `hook` is called for each. */
const issue = (identifier = "MT-1"): WorkspaceFor => ({
  identifier,
  issueId: idOf(identifier),
  runId: null,
  mark: null,
  workspace: settings(),
  hooks: { afterCreate: "a", beforeRun: "b", afterRun: "c", beforeRemove: "d", timeoutMs: 1_000 },
  ...whose,
  envPass: [],
});

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

describe("the root", () => {
  test("is made for the daemon's user alone", async () => {
    await disk().prepare(issue(), report, live);
    expect((await lstat(root)).mode & 0o777).toBe(0o700);
  });

  test("may be a link: workspaces have real paths", async () => {
    const real = join(base, "real");
    await mkdir(real);
    await symlink(real, root);
    const workspaces = disk();
    const workspace = await workspaces.prepare(issue(), report, live);
    expect(workspace.path).toBe(join(real, "MT-1"));
    await workspaces.beforeRun(issue(), workspace, report, live);
    expect(await workspaces.remove(issue(), report)).toBe(true);
  });

  test("that cannot be made or read is an error that says what to do", async () => {
    await writeFile(root, "");
    await expect(disk().prepare(issue(), report, live)).rejects.toMatchObject({
      kind: "workspace_error",
      message: expect.stringContaining(root),
      hint: expect.stringContaining("workspace.root"),
    });
    await expect(disk().existing(settings())).rejects.toMatchObject({ kind: "workspace_error" });
  });

  test("that leads elsewhere than when it was first used is refused", async () => {
    const workspaces = disk();
    const workspace = await workspaces.prepare(issue(), report, live);
    await rename(root, `${root}.moved`);
    await mkdir(join(outside, "MT-1"));
    await symlink(outside, root);
    const refusal = { message: expect.stringContaining(`is ${outside} now`), hint: expect.any(String) };
    await expect(workspaces.prepare(issue(), report, live)).rejects.toMatchObject(refusal);
    await expect(workspaces.remove(issue(), report)).rejects.toMatchObject(refusal);
    await expect(workspaces.existing(settings())).rejects.toMatchObject(refusal);
    await expect(workspaces.beforeRun(issue(), workspace, report, live)).rejects.toMatchObject({
      kind: "invalid_workspace_cwd",
    });
    expect(await readdir(outside)).toEqual(["MT-1", "dir"]);
  });

  test("lists directories only: no files, no links, nothing of our own", async () => {
    const workspaces = disk();
    await workspaces.prepare(issue("MT-2"), report, live);
    await workspaces.prepare(issue("MT-1"), report, live);
    await writeFile(join(root, "file"), "");
    await symlink(outside, join(root, "link"));
    expect(await workspaces.existing(settings())).toEqual(["MT-1", "MT-2"]);
  });
});

describe("what a crash leaves", () => {
  test("a workspace whose after_create was under way is made anew, without its half-made content", async () => {
    const begun = Promise.withResolvers<void>();
    const dies = disk(async ({ path }) => {
      await writeFile(join(path, "half"), "");
      begun.resolve();
      return new Promise(() => {});
    });
    void dies.prepare(issue(), report, live);
    await begun.promise;

    const hooks: string[] = [];
    const next = disk(async ({ hook }) => {
      hooks.push(hook);
      return { ok: true, output: "" };
    });
    const workspace = await next.prepare(issue(), report, live);
    expect(workspace.createdNow).toBe(true);
    expect(hooks).toEqual(["after_create"]);
    expect(await readdir(workspace.path)).toEqual([]);
    expect((await next.prepare(issue(), report, live)).createdNow).toBe(false);
  });

  test("a directory on its way to being deleted is deleted at the next start", async () => {
    await mkdir(join(root, ".trash", "left", "deep"), { recursive: true });
    await symlink(outside, join(root, ".trash", "left", "link"));
    await symlink(outside, join(root, ".trash", "link"));
    await disk().prepare(issue(), report, live);
    expect(await readdir(join(root, ".trash"))).toEqual([]);
    await expectOutsideUntouched();
  });
});

describe("something else at a workspace's path", () => {
  test.each(["pipe", "socket", "file", "link", "dangling link", "loop"])(
    "a %s is refused and left",
    async (what) => {
      const path = join(root, "MT-1");
      await mkdir(root);
      const server = createServer();
      if (what === "pipe") await run("mkfifo", [path]);
      if (what === "socket") await new Promise<void>((listening) => server.listen(path, listening));
      if (what === "file") await writeFile(path, "");
      if (what === "link") await symlink(outside, path);
      if (what === "dangling link") await symlink(join(base, "nowhere"), path);
      if (what === "loop") await symlink(path, path);
      try {
        const refusal = {
          kind: "workspace_error",
          message: expect.stringContaining(path),
          hint: expect.any(String),
        };
        await expect(disk().prepare(issue(), report, live)).rejects.toMatchObject(refusal);
        await expect(disk().remove(issue(), report)).rejects.toMatchObject(refusal);
        expect(await exists(path)).toBe(true);
        expect(facts).toEqual([]);
        await expectOutsideUntouched();
      } finally {
        server.close();
      }
    },
  );

  test.each([".trash", ".baton"])("a link in place of our own %s is refused", async (name) => {
    await mkdir(join(root, "MT-1"), { recursive: true });
    await symlink(outside, join(root, name));
    await expect(disk().prepare(issue(), report, live)).rejects.toMatchObject({ kind: "workspace_error" });
    await expect(disk().remove(issue(), report)).rejects.toMatchObject({ kind: "workspace_error" });
    await expectOutsideUntouched();
  });

  test("a link in place of the mark of a workspace being made is not written through", async () => {
    await mkdir(join(root, ".baton"), { recursive: true });
    await symlink(join(outside, "dir", "treasure"), join(root, ".baton", "MT-1.creating"));
    await disk().prepare(issue(), report, live);
    await expectOutsideUntouched();
  });
});

test("the mark of a workspace that is gone goes when it is made anew, also without a hook: its work is not thrown away", async () => {
  const plain = { ...issue(), hooks: { ...issue().hooks, afterCreate: null } };
  await mkdir(join(root, ".baton"), { recursive: true });
  await writeFile(join(root, ".baton", "MT-1.creating"), "");
  const workspaces = disk();
  await workspaces.prepare(plain, report, live);
  await writeFile(join(root, "MT-1", "work"), "");
  expect((await workspaces.prepare(plain, report, live)).createdNow).toBe(false);
  expect((await disk().prepare(plain, report, live)).createdNow).toBe(false);
  expect(await exists(join(root, "MT-1", "work"))).toBe(true);
});

describe("a hook that tampers with its workspace", () => {
  const swapForLink: RunHook = async ({ path }) => {
    await rename(path, `${path}.moved`);
    await symlink(outside, path);
    return { ok: true, output: "" };
  };

  test("cannot make a link the workspace while it is made", async () => {
    await expect(disk(swapForLink).prepare(issue(), report, live)).rejects.toMatchObject({
      kind: "workspace_error",
    });
  });

  test("cannot make a link the workspace before a run", async () => {
    const { path } = await disk().prepare(issue(), report, live);
    const workspaces = disk(swapForLink);
    const workspace = await workspaces.prepare(issue(), report, live);
    await expect(workspaces.beforeRun(issue(), workspace, report, live)).rejects.toMatchObject({
      kind: "workspace_error",
    });
    expect(await exists(`${path}.moved`)).toBe(true);
  });

  test("has its script run in the directory that was prepared, also when a link takes its place meanwhile", async () => {
    const writes: RunHook = async ({ path, cwd }) => {
      await rename(path, `${path}.moved`);
      await symlink(outside, path);
      await writeFile(join(cwd, "here"), "");
      return { ok: true, output: "" };
    };
    await expect(disk(writes).prepare(issue(), report, live)).rejects.toMatchObject({
      kind: "workspace_error",
    });
    expect(await readdir(join(root, "MT-1.moved"))).toEqual(["here"]);
    await expectOutsideUntouched();
  });

  test("cannot have something outside removed", async () => {
    const workspaces = disk(swapForLink);
    await disk().prepare(issue(), report, live);
    await expect(workspaces.remove(issue(), report)).rejects.toMatchObject({ kind: "workspace_error" });
    await expectOutsideUntouched();
  });

  test("may remove it itself", async () => {
    const removes: RunHook = async ({ hook, path }) => {
      if (hook === "before_remove") await rm(path, { recursive: true });
      return { ok: true, output: "" };
    };
    const workspaces = disk(removes);
    const { path } = await workspaces.prepare(issue(), report, live);
    expect(await workspaces.remove(issue(), report)).toBe(true);
    expect(facts.at(-1)).toEqual({ type: "workspace_removed", path });
  });

  test("and then fails is still the reason that is told", async () => {
    const fails: RunHook = async ({ path }) => {
      await rm(path, { recursive: true });
      return { ok: false, kind: "hook_failed", error: "exited with code 1", output: "" };
    };
    await expect(disk(fails).prepare(issue(), report, live)).rejects.toMatchObject({ kind: "hook_failed" });
    expect((await disk().prepare(issue(), report, live)).createdNow).toBe(true);
  });

  test("and fails is told as failed also when its workspace cannot be removed, which the next run does", async () => {
    const trash = join(root, ".trash");
    const spoils: RunHook = async () => {
      await rename(trash, `${trash}.moved`);
      await writeFile(trash, "");
      return { ok: false, kind: "hook_failed", error: "exited with code 1", output: "" };
    };
    await expect(disk(spoils).prepare(issue(), report, live)).rejects.toMatchObject({ kind: "hook_failed" });
    expect(facts.at(-1)).toMatchObject({
      type: "warning",
      message: expect.stringContaining(trash),
    });
    await rm(trash);
    expect((await disk().prepare(issue(), report, live)).createdNow).toBe(true);
  });

  test("finds its new directory accepted when it made one before the run", async () => {
    const anew: RunHook = async ({ hook, path }) => {
      if (hook !== "before_run") return { ok: true, output: "" };
      await rename(path, `${path}.old`);
      await mkdir(path);
      return { ok: true, output: "" };
    };
    const workspaces = disk(anew);
    const workspace = await workspaces.prepare(issue(), report, live);
    await workspaces.beforeRun(issue(), workspace, report, live);
    expect(await workspaces.remove(issue(), report)).toBe(true);
  });
});

describe("removal", () => {
  test("does not follow links in the workspace", async () => {
    const workspaces = disk();
    const { path } = await workspaces.prepare(issue(), report, live);
    await symlink(outside, join(path, "link"));
    await symlink(join(outside, "dir", "treasure"), join(path, "file"));
    await workspaces.remove(issue(), report);
    expect(await exists(path)).toBe(false);
    await expectOutsideUntouched();
  });

  test("leaves nothing behind, however many files or how deep", async () => {
    const workspaces = disk();
    const { path } = await workspaces.prepare(issue(), report, live);
    await run("sh", ["-c", "mkdir many && cd many && seq 2000 | xargs touch"], { cwd: path });
    // Deeper than a path may be long (4,096 bytes), so that no name reaches the bottom.
    const dive = 'd=$(printf "d/%.0s" $(seq 1100)); for i in 1 2; do mkdir -p "$d" && cd "$d"; done';
    await run("bash", ["-c", dive], { cwd: path });
    await workspaces.remove(issue(), report);
    expect(facts.filter((fact) => fact.type === "warning")).toEqual([]);
    expect(await readdir(root)).toEqual([".baton", ".trash"]);
    expect(await readdir(join(root, ".trash"))).toEqual([]);
  });

  test("includes read-only directories", async () => {
    const { path } = await disk().prepare(issue(), report, live);
    await mkdir(join(path, "cache", "module"), { recursive: true });
    await writeFile(join(path, "cache", "module", "file"), "", { mode: 0o400 });
    await chmod(join(path, "cache", "module"), 0o500);
    await chmod(join(path, "cache"), 0o000);
    const code = `
      const { deleteIn } = await import(${JSON.stringify(new URL("../../../src/workspace/files/trash.ts", import.meta.url))});
      const { holding } = await import(${JSON.stringify(new URL("../../../src/workspace/files/held.ts", import.meta.url))});
      console.log(await holding(process.argv[1], (held) => deleteIn(held, "MT-1")));`;
    // Root may write everywhere: it has to give that up for this to prove anything.
    const asAnybody = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];
    const node = [process.execPath, "--input-type=module", "-e", code, root];
    expect((await run("env", [...asAnybody, ...node])).stdout).toBe("null\n");
    expect(await exists(path)).toBe(false);
  });

  test("touches nothing outside while links are swapped in", async () => {
    const path = join(root, "MT-1");
    for (let race = 0; race < 100; race++) {
      const workspaces = disk(async () => ({ ok: true, output: "" }));
      await workspaces.prepare(issue(), report, live).catch(() => {});
      const removal = workspaces.remove(issue(), report).catch(() => false);
      for (let step = 0; step < race % 10; step++) await lstat(base);
      await rename(path, join(base, `moved-${race}`)).catch(() => {});
      await symlink(outside, path).catch(() => {});
      await removal;
      await unlink(path).catch(() => {});
    }
    await expectOutsideUntouched();
  });
});
