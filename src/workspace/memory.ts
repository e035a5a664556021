/**
 * Workspaces without a disk, for tests and the simulation: the same rules and facts, directories that are only names.
 */
import { join } from "node:path";
import type { FactBody, WorkspaceSettings } from "../domain/domain.ts";
import { type HookName, type HookRunner, runHook } from "./hooks/hooks.ts";
import { workspaceKey } from "./key.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { isSameIssue, othersIn, type Owner, type Tenancy } from "./owner.ts";
import { placeOf, placesOf, type Registry } from "./place.ts";
import { type Workspace, WorkspaceError, type WorkspaceFor, type Workspaces } from "./port.ts";

/** What a test can put at a path. `unfinished`: a directory whose making was cut short by a crash. */
export type Planted = "directory" | "unfinished" | "file" | "link";

export interface MemoryWorkspaces extends Workspaces {
  /** Puts something at `<root>/<key>`, in place of whatever is there; null takes it away. */
  plant(root: string, key: string, what: Planted | null): void;
  /** Another installation's daemon, on the same directories. */
  beside(tenancy: Tenancy): MemoryWorkspaces;
}

/** What is on the disk that is not there. By path. */
interface Disk {
  /** Each planted thing is an object of its own, so a swapped one is another. */
  readonly entries: Map<string, { readonly what: Planted }>;
  readonly owners: Map<string, Owner>;
}

type Report = (fact: FactBody) => void;

/** Hooks that end well at once and say nothing, at no cost of time. */
const quietHooks: HookRunner = { run: async () => ({ ok: true, output: "" }), now: () => 0 };

/** A full fake of the port. */
export const createMemoryWorkspaces = (
  hooks: HookRunner = quietHooks,
  tenancy: Tenancy | null = null,
): MemoryWorkspaces => new InMemory(hooks, tenancy, { entries: new Map(), owners: new Map() });

class InMemory implements MemoryWorkspaces {
  readonly #hooks: HookRunner;
  readonly #oneAtATime = new OneAtATime();
  readonly #tenancy: Tenancy | null;
  readonly #disk: Disk;
  readonly #entries: Disk["entries"];
  readonly #owners: Disk["owners"];
  readonly #known = new Map<string, object>();

  constructor(hooks: HookRunner, tenancy: Tenancy | null, disk: Disk) {
    this.#hooks = hooks;
    this.#tenancy = tenancy;
    this.#disk = disk;
    [this.#entries, this.#owners] = [disk.entries, disk.owners];
  }

  beside(tenancy: Tenancy): MemoryWorkspaces {
    return new InMemory(this.#hooks, tenancy, this.#disk);
  }

  plant(root: string, key: string, what: Planted | null): void {
    if (what === null) this.#entries.delete(join(root, key));
    else this.#entries.set(join(root, key), { what });
  }

  async prepare(of: WorkspaceFor, report: Report, signal: AbortSignal): Promise<Workspace> {
    return this.#inTurn(of, async () => {
      const { root } = of.workspace;
      const { key, taken } = await placeOf(of, this.#registry(root));
      const path = join(root, key);
      if (taken !== null)
        report({ type: "warning", message: `${workspaceKey(of.identifier)} belongs to ${taken.identifier}` });
      const owner = this.#owners.get(path);
      if (owner !== undefined && !isSameIssue(owner, of)) throw unfit(path, "is recorded as another issue's");
      this.#refuseOthers(path);
      return this.#oneAtATime.run(path, () => this.#prepare(key, path, of, report, signal));
    });
  }

  async #prepare(
    key: string,
    path: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal,
  ): Promise<Workspace> {
    if (this.#entries.get(path)?.what === "unfinished") {
      report({ type: "warning", message: `the workspace ${path} was still being made: it is made anew` });
      this.#discard(path);
    }
    const createdNow = this.#inspect(path) === null;
    this.#owners.set(path, this.#mine(of));
    if (createdNow) await this.#create(path, of, report, signal);
    this.#learn(path);
    report({ type: "workspace_ready", path, created: createdNow });
    return { path, key, createdNow };
  }

  async beforeRun(
    of: WorkspaceFor,
    { path, key }: Workspace,
    report: Report,
    signal: AbortSignal,
  ): Promise<void> {
    // Without a hook nothing has happened since it was prepared.
    if (of.hooks.beforeRun === null) return;
    await this.#oneAtATime.run(path, async () => {
      if (path !== join(of.workspace.root, key)) throw unfit(path, "is not under the workspace root");
      if (!this.#isPrepared(path)) throw unfit(path, "is not the directory that was prepared");
      const error = await this.#run("before_run", of, path, report, signal);
      if (error) throw error;
      this.#learn(path);
    });
  }

  async afterRun(of: WorkspaceFor, { path }: Workspace, report: Report): Promise<void> {
    if (of.hooks.afterRun === null) return;
    await this.#oneAtATime.run(path, async () => {
      if (this.#isPrepared(path)) await this.#run("after_run", of, path, report, null);
      else
        report({
          type: "hook_ran",
          hook: "after_run",
          ok: false,
          tookMs: 0,
          output: "",
          error: `hook after_run was not run: the workspace ${path} is not the directory that was prepared`,
        });
    });
  }

  async remove(
    of: WorkspaceFor,
    report: Report,
    signal?: AbortSignal,
    which: "recorded" | "any" = "any",
  ): Promise<boolean> {
    const { root } = of.workspace;
    return this.#inTurn(of, async () => {
      let some = false;
      for (const key of await placesOf(of, this.#registry(root), which === "recorded")) {
        const path = join(root, key);
        some = (await this.#oneAtATime.run(path, () => this.#remove(path, of, report, signal))) || some;
      }
      return some;
    });
  }

  async #remove(
    path: string,
    of: WorkspaceFor,
    report: Report,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    this.#refuseOthers(path);
    if (!this.#isThere(path)) return false;
    await this.#run("before_remove", of, path, report, signal ?? null);
    if (signal?.aborted === true)
      throw new WorkspaceError("workspace_error", `the workspace ${path} was not removed`);
    this.#discard(path);
    report({ type: "workspace_removed", path });
    return true;
  }

  async owners({ root }: WorkspaceSettings): Promise<ReadonlyMap<string, Owner>> {
    const under = [...this.#owners].filter(([path]) => path.startsWith(`${root}/`));
    return new Map(under.map(([path, owner]) => [path.slice(root.length + 1), owner]));
  }

  isElsewhere(owner: Owner): boolean {
    return othersIn(owner, this.#tenancy) !== null;
  }

  #refuseOthers(path: string): void {
    const tenant = othersIn(this.#owners.get(path) ?? null, this.#tenancy);
    if (tenant !== null)
      throw new WorkspaceError(
        "workspace_in_use",
        `another daemon works in the workspace ${path}: the one on the ledger ${tenant.ledger}`,
      );
  }

  #mine(owner: Owner): Owner {
    return this.#tenancy === null ? owner : { ...owner, tenant: this.#tenancy.self };
  }

  async adopt({ root }: WorkspaceSettings, key: string, owner: Owner): Promise<void> {
    const path = join(root, key);
    if (this.#entries.has(path) && !this.#owners.has(path)) this.#owners.set(path, this.#mine(owner));
  }

  async existing({ root }: WorkspaceSettings): Promise<readonly string[]> {
    const directories = [...this.#entries].filter(
      ([, { what }]) => what === "directory" || what === "unfinished",
    );
    return directories
      .filter(([path]) => path.startsWith(`${root}/`))
      .map(([path]) => path.slice(root.length + 1))
      .sort();
  }

  async #create(path: string, of: WorkspaceFor, report: Report, signal: AbortSignal): Promise<void> {
    this.#entries.set(path, { what: "directory" });
    const error = await this.#run("after_create", of, path, report, signal);
    if (!error) return;
    this.#discard(path);
    throw error;
  }

  #registry(root: string): Registry {
    return {
      of: async (key) => this.#owners.get(join(root, key)) ?? null,
      keysOf: async (owner) => {
        const mine = [...this.#owners].filter(
          ([path, one]) => path.startsWith(`${root}/`) && isSameIssue(one, owner),
        );
        return mine.map(([path]) => path.slice(root.length + 1));
      },
      isThere: async (key) => this.#inspect(join(root, key)) !== null,
    };
  }

  #inTurn<T>({ workspace, tracker, issueId }: WorkspaceFor, work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime.run(JSON.stringify([workspace.root, tracker.kind, issueId]), work);
  }

  #discard(path: string): void {
    this.#entries.delete(path);
    this.#known.delete(path);
    this.#owners.delete(path);
  }

  #inspect(path: string): object | null {
    const entry = this.#entries.get(path) ?? null;
    if (entry?.what === "file" || entry?.what === "link")
      throw new WorkspaceError(
        "workspace_error",
        `the workspace path ${path} is a ${entry.what}, not a directory`,
      );
    return entry;
  }

  #learn(path: string): void {
    const entry = this.#inspect(path);
    if (entry === null) throw unfit(path, "is no longer there: a hook has removed it");
    this.#known.set(path, entry);
  }

  #isPrepared(path: string): boolean {
    const entry = this.#entries.get(path);
    return entry !== undefined && entry === this.#known.get(path);
  }

  #isThere(path: string): boolean {
    const entry = this.#inspect(path);
    const known = this.#known.get(path);
    if (entry !== null && known !== undefined && known !== entry)
      throw unfit(path, "is not the directory that was prepared: it has been swapped");
    return entry !== null;
  }

  #run(hook: HookName, of: WorkspaceFor, path: string, report: Report, signal: AbortSignal | null) {
    return runHook(this.#hooks, { hook, path, cwd: path, of, signal }, report);
  }
}

const unfit = (path: string, why: string): WorkspaceError =>
  new WorkspaceError("invalid_workspace_cwd", `the workspace ${path} ${why}`);
