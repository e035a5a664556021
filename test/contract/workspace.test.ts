import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bashHooks } from "../../src/workspace/hooks/bash.ts";
import { createDiskWorkspaces } from "../../src/workspace/disk.ts";
import type { HookCall, HookOutcome } from "../../src/workspace/hooks/port.ts";
import { createMemoryWorkspaces, type Planted } from "../../src/workspace/memory.ts";
import { workspaceSuite } from "./workspace-suite.ts";

workspaceSuite("on disk", async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "baton-workspaces-")));
  const root = join(base, "root");
  await mkdir(root);
  const run = bashHooks({ environment: { PATH: process.env["PATH"], HOME: base }, secrets: () => [] });
  return {
    workspaces: createDiskWorkspaces({ run, now: () => performance.now() }),
    root,
    daemonOf: (tenancy) => createDiskWorkspaces({ run, now: () => performance.now() }, null, tenancy),
    scripts: { says: "echo hello", fails: "echo oh no; exit 3", hangs: "sleep 600" },
    plant: (key, what) => plantOnDisk(root, key, what),
    end: () => rm(base, { recursive: true, force: true }),
  };
});

async function plantOnDisk(root: string, key: string, what: Planted | null): Promise<void> {
  const path = join(root, key);
  // What was there stays alive under another name, or its inode number would be given to what follows.
  await mkdir(join(root, "..", "aside"), { recursive: true });
  await rename(path, join(root, "..", "aside", crypto.randomUUID())).catch(() => {});
  switch (what) {
    case null:
      return;
    case "file":
      return writeFile(path, "");
    case "link":
      await mkdir(join(root, "..", "outside"), { recursive: true });
      return symlink(join(root, "..", "outside"), path);
    case "directory":
      return mkdir(path);
    case "unfinished":
      await mkdir(join(root, ".baton"), { recursive: true });
      await writeFile(join(root, ".baton", `${key}.creating`), "");
      return mkdir(path);
  }
}

workspaceSuite("in memory", async () => {
  const root = "/root/of/the/fake";
  const workspaces = createMemoryWorkspaces({ run: scripted, now: () => 0 });
  return {
    workspaces,
    root,
    daemonOf: (tenancy) => workspaces.beside(tenancy),
    scripts: { says: "says", fails: "fails", hangs: "hangs" },
    plant: async (key, what) => workspaces.plant(root, key, what),
    end: async () => {},
  };
});

async function scripted({ script, signal, of }: HookCall): Promise<HookOutcome> {
  if (script === "says") return { ok: true, output: "hello" };
  if (script === "fails") return { ok: false, kind: "hook_failed", error: "failed", output: "oh no" };
  // A hook that hangs: time is up at once where the case is about time, otherwise it waits to be stopped.
  const error = `did not end within ${of.hooks.timeoutMs} ms`;
  if (of.hooks.timeoutMs <= 50 || signal === null)
    return { ok: false, kind: "hook_timeout", error, output: "" };
  if (!signal.aborted) await once(signal, "abort");
  return { ok: false, kind: "hook_failed", error: "was stopped", output: "" };
}
