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
import { edgeError } from "./files/edge-error.ts";
import { type Held, holdingIn } from "./files/held.ts";
import { type HookName, type HookRunner, runHook, scriptOf } from "./hooks/port.ts";
import { workspaceKey } from "./key.ts";
import { refuseMounts } from "./files/mounts.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { Prepared, unfit } from "./prepared.ts";
import type { Rescuer } from "./rescue/rescuer.ts";
import { findRoot, inspect, openRoot } from "./files/safe-path.ts";
import { deleteLeftovers, deleteTrashed, moveToTrash } from "./files/trash.ts";
import { type Workspace, WorkspaceError, type WorkspaceFor, type Workspaces } from "./port.ts";

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
  readonly #directories = new Prepared();
  readonly #swept = new Set<string>();

  constructor(hooks: HookRunner, rescuer: Rescuer | null) {
    this.#hooks = hooks;
    this.#rescuer = rescuer;
  }

  async prepare(of: WorkspaceFor, report: Report, signal: AbortSignal): Promise<Workspace> {
    const key = workspaceKey(of.identifier);
    return this.#inTurn(of, key, async () => {
      return this.#directories.inRoot(of.workspace.root, await openRoot(of.workspace.root), async (root) => {
        await this.#sweepOnce(root);
        await this.#discardUnfinished(root, key, report);
        const createdNow = (await inspect(root, key)).type === "missing";
        if (createdNow) await this.#create(root, key, of, report, signal);
        await this.#directories.learn(root, key);
        const path = join(root.path, key);
        report({ type: "workspace_ready", path, created: createdNow });
        return { path, key, createdNow };
      });
    });
  }

  async beforeRun(
    of: WorkspaceFor,
    workspace: Workspace,
    report: Report,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#inTurn(of, workspace.key, () =>
      this.#prepared(of, workspace, async (root) => {
        const error = await this.#run("before_run", root, workspace.key, of, report, signal);
        if (error) throw error;
        // The hook may have made the directory anew (a fresh worktree, say); the agent must still start in it.
        await this.#directories.learn(root, workspace.key);
      }),
    );
  }

  async afterRun(of: WorkspaceFor, workspace: Workspace, report: Report): Promise<void> {
    if (of.hooks.afterRun === null) return;
    await this.#inTurn(of, workspace.key, async () => {
      try {
        await this.#prepared(of, workspace, (root) =>
          this.#run("after_run", root, workspace.key, of, report, null),
        );
      } catch (cause) {
        const error = `hook after_run was not run: ${edgeError("the workspace", cause).message}`;
        report({ type: "hook_ran", hook: "after_run", ok: false, tookMs: 0, output: "", error });
      }
    });
  }

  async remove(of: WorkspaceFor, report: Report, signal?: AbortSignal): Promise<boolean> {
    const key = workspaceKey(of.identifier);
    return this.#inTurn(of, key, async () => {
      const real = await findRoot(of.workspace.root);
      return (
        real !== null &&
        this.#directories.inRoot(of.workspace.root, real, (root) =>
          this.#remove(root, key, of, report, signal),
        )
      );
    });
  }

  async #remove(
    root: Held,
    key: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const path = join(root.path, key);
    await this.#sweepOnce(root);
    if (!(await this.#directories.isThere(root, key))) return false;
    // Before the hook, which may itself remove what there is to save.
    await this.#rescuer?.rescue(of, path, "its issue is finished", report, signal);
    await this.#run("before_remove", root, key, of, report, signal ?? null);
    if (signal?.aborted === true) throw gaveUp(path);
    // The hook may have removed it (`git worktree remove`), or put something else there.
    await this.#directories.isThere(root, key);
    await refuseMounts(path);
    await this.#discard(root, key, report, signal);
    report({ type: "workspace_removed", path });
    return true;
  }

  async existing(settings: WorkspaceSettings): Promise<readonly string[]> {
    const real = await findRoot(settings.root);
    if (real === null) return [];
    return this.#directories.inRoot(settings.root, real, async ({ here }) => {
      const entries = await readdir(here, { withFileTypes: true }).catch((cause: unknown) => {
        throw edgeError(`the workspace root ${real} cannot be read`, cause);
      });
      const keys = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
      return keys.map((entry) => entry.name).sort();
    });
  }

  async #create(
    root: Held,
    key: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal,
  ): Promise<void> {
    const path = join(root.path, key);
    // Without a hook the directory is ready as soon as it is there.
    if (of.hooks.afterCreate !== null) await markUnfinished(root, key);
    try {
      // Not recursive: it must be this call that makes it.
      await mkdir(root.at(key));
    } catch (cause) {
      await markFinished(root, key);
      throw edgeError(`the workspace ${path} cannot be made`, cause);
    }
    await this.#directories.learn(root, key);
    const error = await this.#run("after_create", root, key, of, report, signal);
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

  async #discardUnfinished(root: Held, key: string, report: Report): Promise<void> {
    if (!(await isUnfinished(root, key))) return;
    if ((await inspect(root, key)).type === "missing") return;
    const path = join(root.path, key);
    const message = `the workspace ${path} was still being made when the daemon ended: it is made anew`;
    report({ type: "warning", message });
    await refuseMounts(path);
    await this.#discard(root, key, report);
  }

  /** The directory is out of the way when this resolves; what cannot be deleted stays in the trash and is reported. */
  async #discard(root: Held, key: string, report: Report, signal?: AbortSignal): Promise<void> {
    const trashed = await moveToTrash(root, key);
    this.#directories.forget(root, key);
    await markFinished(root, key);
    const left = trashed === null ? null : await deleteTrashed(root, trashed, signal);
    if (left !== null)
      report({ type: "warning", message: `${join(root.path, key)} could not be deleted: ${left}` });
  }

  /** @throws WorkspaceError unless the path is still the directory that was prepared. */
  async #prepared(
    of: WorkspaceFor,
    { path, key }: Workspace,
    use: (root: Held) => Promise<unknown>,
  ): Promise<void> {
    const real = await findRoot(of.workspace.root);
    if (real === null || dirname(path) !== real || basename(path) !== key)
      throw unfit(`the workspace ${path} is not under the workspace root ${of.workspace.root}`);
    await this.#directories.inRoot(of.workspace.root, real, async (root) => {
      const there = await this.#directories.isThere(root, key).catch((cause: unknown) => {
        throw unfit(edgeError(`the workspace ${path} cannot be used`, cause).message, cause);
      });
      if (!there) throw unfit(`the workspace ${path} is no longer there`);
      await use(root);
    });
  }

  async #sweepOnce(root: Held): Promise<void> {
    if (this.#swept.has(root.path)) return;
    this.#swept.add(root.path);
    await deleteLeftovers(root, this.#hooks.now);
  }

  /** Named by the root as the workflow spells it, before anything is awaited: who asked first is served first. */
  #inTurn<T>(of: WorkspaceFor, key: string, work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime.run(resolve(of.workspace.root, key), work);
  }

  async #run(
    hook: HookName,
    root: Held,
    key: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal | null,
  ): Promise<WorkspaceError | null> {
    if (scriptOf(of.hooks, hook) === null) return null;
    const path = join(root.path, key);
    return holdingIn(root, key, async ({ here, identity }) => {
      this.#directories.refuseSwapped(root, key, identity);
      return runHook(this.#hooks, { hook, path, cwd: here, of, signal }, report);
    });
  }
}

const gaveUp = (path: string): WorkspaceError =>
  new WorkspaceError("workspace_error", `the workspace ${path} was not removed before Baton had to stop`, {
    hint: "The next start removes it.",
  });
