/**
 * Workspaces on the local disk. What is at a path is looked at before every use, and work on one directory is done one
 * piece at a time. No git is run in them: the agent can write to a repository's hooks and configuration (shadow.ts).
 *
 * SPEC 17.2 has `tmp` and `.elixir_ls` removed before a run. Not here: they are habits of one language, and `tmp` is
 * part of many repositories. Who wants it says so in `before_run`.
 */
import { mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { FactBody } from "../domain/fact.ts";
import type { WorkspaceSettings } from "../domain/settings.ts";
import { isUnfinished, markFinished, markUnfinished } from "./creation.ts";
import { type HookName, type HookRunner, runHook } from "./hooks.ts";
import { workspaceKey } from "./key.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { Rescuer } from "./rescue.ts";
import { edgeError, findRoot, type Identity, inspect, openRoot, sameIdentity } from "./safe-path.ts";
import { deleteLeftovers, deleteTrashed, moveToTrash } from "./trash.ts";
import { type Workspace, WorkspaceError, type WorkspaceFor, type Workspaces } from "./workspace.ts";

type Report = (fact: FactBody) => void;

/**
 * The port on the local disk. `hooks.run` is bash.ts's outside of tests. With a rescuer, work that is nowhere else is
 * saved before a workspace is removed; without one it is removed as it is.
 */
export const createDiskWorkspaces = (hooks: HookRunner, rescuer: Rescuer | null = null): Workspaces =>
  new DiskWorkspaces(hooks, rescuer);

class DiskWorkspaces implements Workspaces {
  readonly #hooks: HookRunner;
  readonly #rescuer: Rescuer | null;
  readonly #oneAtATime = new OneAtATime();
  /** By path, the directory as it was when it was last known to be right. */
  readonly #known = new Map<string, Identity>();
  readonly #swept = new Set<string>();

  constructor(hooks: HookRunner, rescuer: Rescuer | null) {
    this.#hooks = hooks;
    this.#rescuer = rescuer;
  }

  async prepare(of: WorkspaceFor, report: Report, signal: AbortSignal): Promise<Workspace> {
    const key = workspaceKey(of.identifier);
    return this.#inTurn(of, key, async () => {
      const root = await openRoot(of.workspace.root);
      const path = join(root, key);
      await this.#sweepOnce(root);
      await this.#discardUnfinished(root, key, report);
      const createdNow = (await inspect(root, key)).type === "missing";
      if (createdNow) await this.#create(root, key, of, report, signal);
      await this.#learn(root, key);
      report({ type: "workspace_ready", path, created: createdNow });
      return { path, key, createdNow };
    });
  }

  async beforeRun(
    of: WorkspaceFor,
    workspace: Workspace,
    report: Report,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#inTurn(of, workspace.key, async () => {
      const root = await this.#verify(of, workspace);
      const error = await this.#run("before_run", of, workspace.path, report, signal);
      if (error) throw error;
      // The hook may have made the directory anew (a fresh worktree, say); the agent must still start in it.
      await this.#learn(root, workspace.key);
    });
  }

  async afterRun(of: WorkspaceFor, workspace: Workspace, report: Report): Promise<void> {
    if (of.hooks.afterRun === null) return;
    await this.#inTurn(of, workspace.key, async () => {
      try {
        await this.#verify(of, workspace);
      } catch (cause) {
        const error = `hook after_run was not run: ${edgeError("the workspace", cause).message}`;
        report({ type: "hook_ran", hook: "after_run", ok: false, tookMs: 0, output: "", error });
        return;
      }
      await this.#run("after_run", of, workspace.path, report, null);
    });
  }

  async remove(of: WorkspaceFor, report: Report): Promise<boolean> {
    const key = workspaceKey(of.identifier);
    return this.#inTurn(of, key, async () => {
      const root = await findRoot(of.workspace.root);
      if (root === null) return false;
      const path = join(root, key);
      await this.#sweepOnce(root);
      if (!(await this.#isThere(root, key))) return false;
      // Before the hook, which may itself remove what there is to save.
      await this.#rescuer?.rescue(of, path, "its issue is finished", report);
      await this.#run("before_remove", of, path, report, null);
      // The hook may have removed it (`git worktree remove`), or put something else there.
      await this.#isThere(root, key);
      await this.#discard(root, key, report);
      report({ type: "workspace_removed", path });
      return true;
    });
  }

  async existing(settings: WorkspaceSettings): Promise<readonly string[]> {
    const root = await findRoot(settings.root);
    if (root === null) return [];
    try {
      const entries = await readdir(root, { withFileTypes: true });
      const keys = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
      return keys.map((entry) => entry.name).sort();
    } catch (cause) {
      throw edgeError(`the workspace root ${root} cannot be read`, cause);
    }
  }

  async #create(
    root: string,
    key: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal,
  ): Promise<void> {
    const path = join(root, key);
    // Without a hook the directory is ready as soon as it is there.
    if (of.hooks.afterCreate !== null) await markUnfinished(root, key);
    try {
      // Not recursive: it must be this call that makes it.
      await mkdir(path);
    } catch (cause) {
      await markFinished(root, key);
      throw edgeError(`the workspace ${path} cannot be made`, cause);
    }
    const error = await this.#run("after_create", of, path, report, signal);
    if (error === null) return markFinished(root, key);
    // What cannot be removed keeps its mark, and is tried again by the next run.
    await this.#discard(root, key, report).catch((cause: unknown) => {
      report({
        type: "warning",
        message: edgeError(`the workspace ${path} cannot be removed`, cause).message,
      });
    });
    throw error;
  }

  async #discardUnfinished(root: string, key: string, report: Report): Promise<void> {
    if (!(await isUnfinished(root, key))) return;
    if ((await inspect(root, key)).type === "missing") return;
    const message = `the workspace ${join(root, key)} was still being made when the daemon ended: it is made anew`;
    report({ type: "warning", message });
    await this.#discard(root, key, report);
  }

  /** The directory is out of the way when this resolves; what cannot be deleted stays in the trash and is reported. */
  async #discard(root: string, key: string, report: Report): Promise<void> {
    const trashed = await moveToTrash(root, key);
    this.#known.delete(join(root, key));
    await markFinished(root, key);
    const left = trashed === null ? null : await deleteTrashed(trashed);
    if (left !== null) report({ type: "warning", message: `${trashed} could not be deleted: ${left}` });
  }

  /** Takes what is at the path now for the workspace. @throws WorkspaceError when it is no directory in its place. */
  async #learn(root: string, key: string): Promise<void> {
    const entry = await inspect(root, key);
    if (entry.type === "missing")
      throw unfit(`the workspace ${join(root, key)} is no longer there: a hook has removed it`);
    this.#known.set(join(root, key), entry.identity);
  }

  /** Answers the real root. @throws WorkspaceError unless the path is still the directory that was prepared. */
  async #verify(of: WorkspaceFor, { path, key }: Workspace): Promise<string> {
    const root = await findRoot(of.workspace.root);
    if (root === null || dirname(path) !== root || basename(path) !== key)
      throw unfit(`the workspace ${path} is not under the workspace root ${of.workspace.root}`);
    const there = await this.#isThere(root, key).catch((cause: unknown) => {
      throw unfit(edgeError(`the workspace ${path} cannot be used`, cause).message, cause);
    });
    if (!there) throw unfit(`the workspace ${path} is no longer there`);
    return root;
  }

  /** @throws WorkspaceError when something else than the known directory is there. */
  async #isThere(root: string, key: string): Promise<boolean> {
    const entry = await inspect(root, key);
    if (entry.type === "missing") return false;
    const known = this.#known.get(join(root, key));
    if (known !== undefined && !sameIdentity(known, entry.identity))
      throw unfit(
        `the workspace ${join(root, key)} is not the directory that was prepared: it has been swapped`,
      );
    return true;
  }

  async #sweepOnce(root: string): Promise<void> {
    if (this.#swept.has(root)) return;
    this.#swept.add(root);
    await deleteLeftovers(root, this.#hooks.now);
  }

  /** Named by the root as the workflow spells it, before anything is awaited: who asked first is served first. */
  #inTurn<T>(of: WorkspaceFor, key: string, work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime.run(resolve(of.workspace.root, key), work);
  }

  #run(hook: HookName, of: WorkspaceFor, path: string, report: Report, signal: AbortSignal | null) {
    return runHook(this.#hooks, { hook, path, of, signal }, report);
  }
}

const unfit = (message: string, cause?: unknown): WorkspaceError =>
  new WorkspaceError("invalid_workspace_cwd", message, {
    hint: "Look at what is there. If nobody needs it, remove it: the next run makes a new workspace.",
    cause,
  });
