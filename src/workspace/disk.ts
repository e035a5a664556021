/**
 * Workspaces on the local disk. What is at a path is looked at before every use, and work on one directory is done one
 * piece at a time. No git is run in them: the agent can write to a repository's hooks and configuration (shadow.ts).
 *
 * SPEC 17.2 has `tmp` and `.elixir_ls` removed before a run. Not here: they are habits of one language, and `tmp` is
 * part of many repositories. Who wants it says so in `before_run`.
 */
import { mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { FactBody, WorkspaceSettings } from "../domain/domain.ts";
import { beginningOf, forgetBeginning, keepBeginning } from "./beginnings.ts";
import { Creations } from "./creation.ts";
import {
  deleteLeftovers,
  edgeError,
  findRoot,
  type Held,
  holdingIn,
  inspect,
  openRoot,
  refuseMounts,
  rootError,
  TRASH,
  throwAway,
} from "./files/files.ts";
import { type HookName, type HookRunner, runHook, scriptOf } from "./hooks/hooks.ts";
import { isSameIssue, type Owner, type Tenancy } from "./owner.ts";
import { Owners } from "./owners.ts";
import { placeOf, placesOf, type Registry } from "./place.ts";
import { workspaceKey } from "./key.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { Prepared, unfit } from "./prepared.ts";
import type { Rescuer } from "./rescue/rescue.ts";
import { type Workspace, WorkspaceError, type WorkspaceFor, type Workspaces } from "./port.ts";

type Report = (fact: FactBody) => void;

/** Who asks what there is does so with each hourly sweep: what could not be deleted is tried again then. */
const LEFTOVERS_EVERY_MS = 30 * 60_000;

/**
 * The port on the local disk. `hooks.run` is bash.ts's outside of tests. With a rescuer, work that is nowhere else is
 * saved before a workspace is removed; without one it is removed as it is. With `tenancy` what another daemon works in is
 * left alone.
 */
export const createDiskWorkspaces = (
  hooks: HookRunner,
  rescuer: Rescuer | null = null,
  tenancy: Tenancy | null = null,
): Workspaces => new DiskWorkspaces(hooks, rescuer, tenancy);

class DiskWorkspaces implements Workspaces {
  readonly #hooks: HookRunner;
  readonly #rescuer: Rescuer | null;
  readonly #oneAtATime = new OneAtATime();
  readonly #directories = new Prepared();
  readonly #creations = new Creations();
  readonly #owners: Owners;
  /** When leftovers were last looked at, by root. */
  readonly #swept = new Map<string, number>();
  /** Made by hooks, and no agent has been there yet: by path. */
  readonly #fresh = new Set<string>();

  constructor(hooks: HookRunner, rescuer: Rescuer | null, tenancy: Tenancy | null) {
    this.#hooks = hooks;
    this.#rescuer = rescuer;
    this.#owners = new Owners(tenancy);
  }

  async prepare(of: WorkspaceFor, report: Report, signal: AbortSignal): Promise<Workspace> {
    const { root } = of.workspace;
    return this.#inTurn(of, async () => {
      const made = await this.#directories.inRoot(root, openRoot, async (held) => {
        const key = await this.#claimed(held, of, report);
        return this.#alone(of, key, () => this.#prepare(held, key, of, report, signal));
      });
      if (made === null) throw unfit(`the workspace root ${root} is no longer there`);
      report({ type: "workspace_ready", path: made.path, created: made.createdNow });
      return made;
    });
  }

  /** The name of the issue's directory, which is recorded as its own from now on. */
  async #claimed(root: Held, of: WorkspaceFor, report: Report): Promise<string> {
    const { key, taken } = await placeOf(of, this.#registry(root));
    if (taken !== null) report({ type: "warning", message: besideWords(root.path, of, taken, key) });
    if (await this.#owners.claim(root, key, of)) return key;
    throw unfit(`the workspace ${join(root.path, key)} is recorded as another issue's`);
  }

  async #prepare(
    root: Held,
    key: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal,
  ): Promise<Workspace> {
    await this.#sweepOnce(root);
    await this.#discardUnfinished(root, key, of, report);
    const entry = await inspect(root, key);
    if (entry.type === "missing") await this.#create(root, key, of, report, signal);
    else this.#directories.know(root, key, entry);
    return { path: join(root.path, key), key, createdNow: entry.type === "missing" };
  }

  async beforeRun(
    of: WorkspaceFor,
    workspace: Workspace,
    report: Report,
    signal: AbortSignal,
  ): Promise<void> {
    // Without a hook nothing has happened since it was prepared.
    const isFresh = this.#rescuer !== null && this.#fresh.has(workspace.path);
    if (of.hooks.beforeRun === null && !isFresh) return;
    await this.#alone(of, workspace.key, () =>
      this.#prepared(of, workspace, async (root) => {
        const error = await this.#run("before_run", root, workspace.key, of, report, signal);
        if (error) throw error;
        // The hook may have made the directory anew (a fresh worktree, say); the agent must still start in it.
        await this.#directories.learn(root, workspace.key);
        await this.#lookOnce(root, workspace.key, signal);
      }),
    );
  }

  /** Once the hooks have made it and before any agent is in it: what is there then is nobody's work. */
  async #lookOnce(root: Held, key: string, signal: AbortSignal): Promise<void> {
    const path = join(root.path, key);
    if (!this.#fresh.delete(path)) return;
    const beginning = (await this.#rescuer?.look(path, signal)) ?? null;
    if (beginning !== null) await keepBeginning(root, key, beginning);
  }

  async afterRun(of: WorkspaceFor, workspace: Workspace, report: Report): Promise<void> {
    if (of.hooks.afterRun === null) return;
    await this.#alone(of, workspace.key, async () => {
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

  async remove(
    of: WorkspaceFor,
    report: Report,
    signal?: AbortSignal,
    which: "recorded" | "any" = "any",
  ): Promise<boolean> {
    return this.#inTurn(of, async () => {
      const removed = await this.#directories.inRoot(of.workspace.root, findRoot, async (root) => {
        let some = false;
        for (const key of await placesOf(of, this.#registry(root), which === "recorded"))
          some = (await this.#alone(of, key, () => this.#remove(root, key, of, report, signal))) || some;
        return some;
      });
      return removed ?? false;
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
    const owner = await this.#owners.of(root, key);
    // Another daemon may have taken it over since: it stays.
    if (owner !== null && !isSameIssue(owner, of)) return false;
    this.#owners.refuseOthers(root, key, owner);
    if (!(await this.#directories.isThere(root, key))) {
      if (owner !== null) await this.#owners.forget(root, key);
      return false;
    }
    // Before the hook, which may itself remove what there is to save.
    await this.#rescue(root, key, of, report, signal);
    await this.#run("before_remove", root, key, of, report, signal ?? null);
    if (signal?.aborted === true) throw gaveUp(path);
    // The hook may have removed it (`git worktree remove`), or put something else there.
    await this.#directories.isThere(root, key);
    await refuseMounts(path);
    await this.#discard(root, key, report, signal);
    report({ type: "workspace_removed", path });
    return true;
  }

  async #rescue(
    root: Held,
    key: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (this.#rescuer === null) return;
    const beginning = await beginningOf(root, key);
    const path = join(root.path, key);
    await this.#rescuer.rescue({ of, path, why: "its issue is finished", beginning, signal }, report);
  }

  async existing(settings: WorkspaceSettings): Promise<readonly string[]> {
    const keys = await this.#directories.inRoot(settings.root, findRoot, async (root) => {
      const { here, path } = root;
      const entries = await readdir(here, { withFileTypes: true }).catch((cause: unknown) => {
        throw edgeError(`the workspace root ${path} cannot be read`, cause);
      });
      if (entries.some((entry) => entry.name === TRASH)) await this.#sweepAgain(root).catch(() => {});
      const directories = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
      return directories.map((entry) => entry.name).sort();
    });
    return keys ?? [];
  }

  async owners({ root }: WorkspaceSettings): Promise<ReadonlyMap<string, Owner>> {
    return (await this.#directories.inRoot(root, findRoot, (held) => this.#owners.all(held))) ?? new Map();
  }

  isElsewhere(owner: Owner): boolean {
    return this.#owners.isElsewhere(owner);
  }

  async adopt({ root }: WorkspaceSettings, key: string, owner: Owner): Promise<void> {
    await this.#directories.inRoot(root, findRoot, async (held) => {
      if ((await this.#owners.of(held, key)) !== null) return;
      if ((await inspect(held, key)).type === "directory") await this.#owners.claim(held, key, owner);
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
    if (of.hooks.afterCreate !== null) await this.#creations.markUnfinished(root, key);
    try {
      // Not recursive: it must be this call that makes it.
      await mkdir(root.at(key));
    } catch (cause) {
      await this.#creations.markFinished(root, key);
      await this.#owners.forget(root, key);
      throw rootError(`the workspace ${path} cannot be made`, cause);
    }
    await this.#directories.learn(root, key);
    if (of.hooks.afterCreate !== null || of.hooks.beforeRun !== null) this.#fresh.add(path);
    // One that an earlier daemon left may be there, of a hook that there was then.
    if (of.hooks.afterCreate === null) return this.#creations.markFinished(root, key);
    const error = await this.#run("after_create", root, key, of, report, signal);
    if (error === null) {
      await this.#creations.markFinished(root, key);
      // The hook may have put another directory there.
      return this.#directories.learn(root, key);
    }
    // What cannot be removed keeps its mark, and is tried again by the next run.
    await this.#discard(root, key, report).catch((cause: unknown) => {
      report({
        type: "warning",
        message: edgeError(`the workspace ${path} cannot be removed`, cause).message,
      });
    });
    throw error;
  }

  async #discardUnfinished(root: Held, key: string, of: WorkspaceFor, report: Report): Promise<void> {
    if (!(await this.#creations.isUnfinished(root, key))) return;
    if ((await inspect(root, key)).type === "missing") return;
    const path = join(root.path, key);
    const message = `the workspace ${path} was still being made when the daemon ended: it is made anew`;
    report({ type: "warning", message });
    await refuseMounts(path);
    await this.#discard(root, key, report);
    await this.#owners.claim(root, key, of);
  }

  /** The directory is out of the way when this resolves; what cannot be deleted stays in the trash and is reported. */
  async #discard(root: Held, key: string, report: Report, signal?: AbortSignal): Promise<void> {
    const moved = async (): Promise<void> => {
      this.#directories.forget(root, key);
      this.#fresh.delete(join(root.path, key));
      await this.#creations.markFinished(root, key);
      await this.#owners.forget(root, key);
      await forgetBeginning(root, key);
    };
    const { left } = await throwAway(root, key, { moved, signal });
    if (left !== null)
      report({
        type: "warning",
        message: `${join(root.path, key)} is out of its place, and could not be deleted from ${join(root.path, TRASH)}: ${left}. It is tried again with the next sweep, in an hour at most.`,
      });
  }

  /** @throws WorkspaceError unless the path is still the directory that was prepared. */
  async #prepared(
    of: WorkspaceFor,
    { path, key }: Workspace,
    use: (root: Held) => Promise<unknown>,
  ): Promise<void> {
    const outside = unfit(`the workspace ${path} is not under the workspace root ${of.workspace.root}`);
    const find = async (root: string): Promise<string> => {
      const real = await findRoot(root);
      if (real === null || dirname(path) !== real) throw outside;
      return real;
    };
    await this.#directories.inRoot(of.workspace.root, find, async (root) => {
      if (dirname(path) !== root.path || basename(path) !== key) throw outside;
      const there = await this.#directories.isThere(root, key).catch((cause: unknown) => {
        throw unfit(edgeError(`the workspace ${path} cannot be used`, cause).message, cause);
      });
      if (!there) throw unfit(`the workspace ${path} is no longer there`);
      await use(root);
    });
  }

  async #sweepOnce(root: Held): Promise<void> {
    if (!this.#swept.has(root.path)) await this.#sweepAgain(root);
  }

  async #sweepAgain(root: Held): Promise<void> {
    const now = this.#hooks.now();
    const before = this.#swept.get(root.path);
    if (before !== undefined && now - before < LEFTOVERS_EVERY_MS) return;
    this.#swept.set(root.path, now);
    await deleteLeftovers(root, this.#hooks.now);
  }

  #registry(root: Held): Registry {
    return {
      of: (key) => this.#owners.of(root, key),
      keysOf: (owner) => this.#owners.keysOf(root, owner),
      isThere: async (key) => (await inspect(root, key)).type === "directory",
    };
  }

  /**
   * One thing at a time is done for an issue, whatever its directory is called. Named by the root as the workflow spells it,
   * before anything is awaited: who asked first is served first.
   */
  #inTurn<T>({ workspace, tracker, issueId }: WorkspaceFor, work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime.run(JSON.stringify([workspace.root, tracker.kind, issueId]), work);
  }

  /** One thing at a time is done in a directory, whoever asks for it. */
  #alone<T>(of: WorkspaceFor, key: string, work: () => Promise<T>): Promise<T> {
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

const besideWords = (root: string, { identifier }: WorkspaceFor, taken: Owner, key: string): string =>
  `${join(root, workspaceKey(identifier))} belongs to another issue that is called ${taken.identifier} (${taken.issueId} at ${taken.tracker.endpoint}): ${identifier} works in ${key} beside it. Give each tracker a workspace.root of its own to have plain names.`;
