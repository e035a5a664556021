/**
 * Makes and removes workspaces on the small disk named on the command line, with and without room; prints figures as JSON.
 * The disk is filled with bytes and with files in turn.
 */
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bashHooks } from "../../../src/workspace/hooks/bash.ts";
import { createDiskWorkspaces } from "../../../src/workspace/disk.ts";
import { DiskSpace, diskVerdict } from "../../../src/workspace/disk-space.ts";
import { WorkspaceError, type Workspace, type WorkspaceFor } from "../../../src/workspace/port.ts";
import { fillDisk, isFull } from "../fill-disk.ts";
import { whose } from "../../whose.ts";

const [, , folder = "", , count = "1"] = process.argv;
const rounds = Number(count);
const root = join(folder, "workspaces");
const ballast = join(folder, "ballast");
const MIN_FREE_BYTES = 128 * 1024;

const figures = {
  workRefused: 0,
  workMade: 0,
  workRemoved: 0,
  /** Trouble that was no WorkspaceError. */
  workOtherwise: 0,
  /** A workspace given out that its hook had not filled. */
  workHalf: 0,
  workUnsaid: 0,
  workStuck: 0,
};
const now = (): number => performance.now();
const workspaces = createDiskWorkspaces({
  run: bashHooks({ environment: process.env, secrets: () => [] }),
  now,
});
const disk = new DiskSpace({ now });
const settings = { root, minFreeBytes: MIN_FREE_BYTES, maxBytes: null };

for (let round = 0; round < rounds; round += 1) {
  const [old, fresh] = [issue(`OLD-${round}`), issue(`NEW-${round}`)];
  if (!(await made(old))) figures.workStuck += 1;
  const of = round % 2 === 0 ? "bytes" : "files";
  fill(of);
  if (of === "bytes" && (await verdict()) === null) figures.workUnsaid += 1;
  for (let again = 0; again < 2; again += 1) if (await made(fresh)) figures.workHalf += 1;
  if (await removed(old)) figures.workRemoved += 1;
  rmSync(ballast, { recursive: true });
  if ((await verdict()) !== null) figures.workUnsaid += 1;
  if (await made(fresh)) figures.workMade += 1;
  else figures.workStuck += 1;
  await removed(fresh);
}
process.stdout.write(`${JSON.stringify(figures)}\n`);

function issue(identifier: string): WorkspaceFor {
  const hooks = {
    afterCreate: "head -c 5000 /dev/zero > filled",
    beforeRun: null,
    afterRun: null,
    beforeRemove: null,
    timeoutMs: 20_000,
  };
  const ids = { identifier, issueId: identifier, runId: "r1", mark: `filler.${identifier}` };
  return { ...ids, workspace: settings, hooks, ...whose, envPass: [] };
}

/** Whether there is a workspace now; one without what its hook made is half of one. */
async function made(of: WorkspaceFor): Promise<boolean> {
  const workspace = await expected(workspaces.prepare(of, () => {}, new AbortController().signal));
  if (workspace === null) figures.workRefused += 1;
  else if (!isWhole(workspace)) figures.workHalf += 1;
  return workspace !== null;
}

function isWhole({ path, createdNow }: Workspace): boolean {
  return createdNow && existsSync(join(path, "filled"));
}

async function removed(of: WorkspaceFor): Promise<boolean> {
  return (await expected(workspaces.remove(of, () => {}))) === true;
}

/** Null = refused, by an error of the workspaces' own. */
async function expected<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof WorkspaceError)) {
      figures.workOtherwise += 1;
      process.stderr.write(`workspaces on a full disk: ${String(error)}\n`);
    }
    return null;
  }
}

async function verdict(): Promise<string | null> {
  return diskVerdict(await disk.look(settings), settings);
}

/** Until nothing fits any more. */
function fill(of: "bytes" | "files"): void {
  mkdirSync(ballast);
  if (of === "bytes") return fillDisk(join(ballast, "0"));
  try {
    for (let n = 0; ; n += 1) closeSync(openSync(join(ballast, String(n)), "w"));
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}
