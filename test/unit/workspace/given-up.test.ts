import { watch } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FactBody } from "../../../src/domain/fact.ts";
import { instant } from "../../../src/domain/time.ts";
import { createDiskWorkspaces } from "../../../src/workspace/disk.ts";
import type { RunHook } from "../../../src/workspace/hooks/port.ts";
import { createMemoryWorkspaces } from "../../../src/workspace/memory.ts";
import { createRescuer } from "../../../src/workspace/rescue/rescuer.ts";
import { makingPrefix } from "../../../src/workspace/files/making.ts";
import { listRescues } from "../../../src/workspace/rescue/rescues.ts";
import type { WorkspaceFor, Workspaces } from "../../../src/workspace/port.ts";
import { whose } from "../../whose.ts";

/** Enough to be at it for a while after the first. */
const FILES = 150;

let base: string;
let root: string;
let directory: string;
let facts: FactBody[];
const report = (fact: FactBody): void => void facts.push(fact);

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "baton-given-up-")));
  root = join(base, "root");
  directory = join(base, "state", "rescue");
  facts = [];
  await mkdir(join(root, "MT-1"), { recursive: true });
  await mkdir(directory, { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

const quiet: RunHook = async () => ({ ok: true, output: "" });
const disk = (run: RunHook = quiet): Workspaces =>
  createDiskWorkspaces(
    { run, now: () => performance.now() },
    createRescuer({ directory, now: () => instant(Date.UTC(2031, 4, 9)) }),
  );

const issue = (): WorkspaceFor => ({
  identifier: "MT-1",
  issueId: "id-1",
  runId: null,
  mark: null,
  workspace: { root, minFreeBytes: 0, maxBytes: null },
  hooks: { afterCreate: null, beforeRun: null, afterRun: null, beforeRemove: "hook", timeoutMs: 5_000 },
  ...whose,
  envPass: [],
});

test("a rescue that is given up leaves nothing that looks like one, and the workspace as it was; the next one has it all", async () => {
  await Promise.all(
    Array.from({ length: FILES }, (_, n) => writeFile(join(root, "MT-1", `file-${n}`), `${n}`)),
  );
  const stop = new AbortController();
  const watcher = watch(directory, (_event, name) => {
    if (name?.startsWith(makingPrefix) === true) stop.abort();
  });
  await expect(disk().remove(issue(), report, stop.signal)).rejects.toThrow(
    /not saved before Baton had to stop/,
  );
  watcher.close();
  expect(await readdir(join(root, "MT-1"))).toHaveLength(FILES);
  expect((await readdir(directory)).filter((name) => name.startsWith(makingPrefix))).toEqual([]);
  expect(await listRescues(directory)).toEqual([]);
  expect(facts).toEqual([]);

  expect(await disk().remove(issue(), report, new AbortController().signal)).toBe(true);
  const [saved] = await listRescues(directory);
  expect(saved?.manifest.files).toHaveLength(FILES);
});

/** Goes on until it is ended. */
const endless: RunHook = ({ signal }) =>
  new Promise((resolve) => {
    const ended = { ok: false, kind: "hook_failed", error: "was stopped", output: "" } as const;
    signal?.addEventListener("abort", () => resolve(ended), { once: true });
  });

const memory = (): Workspaces => {
  const workspaces = createMemoryWorkspaces({ run: endless, now: () => 0 });
  workspaces.plant(root, "MT-1", "directory");
  return workspaces;
};

test.each([
  ["on the disk", () => disk(endless)],
  ["in memory", memory],
])("a removal that is given up in its hook keeps the workspace (%s)", async (_where, workspaces) => {
  const stop = new AbortController();
  const world = workspaces();
  const removal = world.remove(issue(), report, stop.signal);
  setImmediate(() => stop.abort());
  await expect(removal).rejects.toMatchObject({ kind: "workspace_error" });
  expect(await world.existing(issue().workspace)).toEqual(["MT-1"]);
  expect(facts.some(({ type }) => type === "workspace_removed")).toBe(false);
});
