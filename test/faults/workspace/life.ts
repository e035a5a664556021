/** What Baton does with a workspace, step by step, with the real parts; and what a step may come to. */
import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { FactBody } from "../../../src/domain/fact.ts";
import { instant } from "../../../src/domain/time.ts";
import { bashHooks } from "../../../src/workspace/hooks/bash.ts";
import { createDiskWorkspaces } from "../../../src/workspace/disk.ts";
import { DiskSpace } from "../../../src/workspace/disk-space.ts";
import type { RunHook } from "../../../src/workspace/hooks/port.ts";
import { fingerprint } from "../../../src/workspace/git/progress.ts";
import { createRescuer } from "../../../src/workspace/rescue/rescuer.ts";
import { listRescues } from "../../../src/workspace/rescue/rescues.ts";
import { restore } from "../../../src/workspace/rescue/restore.ts";
import { type Workspace, WorkspaceError, type WorkspaceFor } from "../../../src/workspace/port.ts";
import { type Ground, identifier } from "./ground.ts";
import { whose } from "../../whose.ts";

/** The longest named bound of one step is git's, 2 minutes; nothing here is large enough to come near it. */
const STEP_MAX_MS = 60_000;

export type StepName = "prepare" | "before" | "print" | "sizes" | "after" | "remove" | "restore";

export interface Step {
  readonly step: StepName;
  readonly ms: number;
  /** What it answered, in a word; null when it failed. */
  readonly answer: string | null;
  readonly error: unknown;
  readonly hung: boolean;
}

/** Each leaves a file where it is run. */
const hooks = {
  afterCreate: "echo made > made-by-hook",
  beforeRun: "echo before > before-by-hook",
  afterRun: "echo after > after-by-hook",
  beforeRemove: "echo bye > bye-by-hook",
  timeoutMs: 20_000,
};

const inProcess: RunHook = async ({ cwd, hook }) => {
  await writeFile(`${cwd}/${hook}-by-hook`, hook);
  return { ok: true, output: "" };
};

export class Life {
  readonly facts: FactBody[] = [];
  readonly steps: Step[] = [];
  readonly #ground: Ground;
  readonly #of: WorkspaceFor;
  readonly #workspaces;
  readonly #rescues: string;
  readonly #disk = new DiskSpace({ now: () => performance.now() });
  #workspace: Workspace | null = null;

  /** With `bash`, hooks are run as they are; otherwise they do the same without a process. */
  constructor(
    ground: Ground,
    { name = identifier, bash }: { readonly name?: string; readonly bash: boolean },
  ) {
    this.#ground = ground;
    this.#rescues = `${ground.state}/rescue`;
    const environment = { PATH: process.env["PATH"], HOME: ground.base };
    const run = bash ? bashHooks({ environment, secrets: () => [] }) : inProcess;
    this.#workspaces = createDiskWorkspaces(
      { run, now: () => performance.now() },
      createRescuer({ directory: this.#rescues, now: () => instant(Date.now()) }),
    );
    this.#of = {
      identifier: name,
      issueId: `id of ${name}`,
      runId: null,
      mark: null,
      workspace: { root: ground.root, minFreeBytes: 0, maxBytes: 1 },
      hooks,
      ...whose,
      envPass: [],
    };
  }

  /** Lets them meet the root, as the sweep and the first look at the disk at a daemon's start do. */
  async meet(): Promise<void> {
    await this.#disk.look(this.#of.workspace);
    await this.#workspaces.remove({ ...this.#of, identifier: "NONE-1" }, () => {});
  }

  /** Never rejects. */
  async do(step: StepName): Promise<Step> {
    const startedAt = performance.now();
    const over = new AbortController();
    const outcome = await Promise.race([
      this.#work(step).then(
        (answer) => ({ answer, error: null, hung: false }),
        (error: unknown) => ({ answer: null, error, hung: false }),
      ),
      delay(STEP_MAX_MS, { answer: null, error: null, hung: true }, { signal: over.signal }),
    ]);
    over.abort();
    const done = { step, ms: performance.now() - startedAt, ...outcome };
    this.steps.push(done);
    return done;
  }

  async #work(step: StepName): Promise<string> {
    const report = (fact: FactBody): void => void this.facts.push(fact);
    const live = new AbortController().signal;
    switch (step) {
      case "prepare":
        this.#workspace = await this.#workspaces.prepare(this.#of, report, live);
        return this.#workspace.createdNow ? "made" : "reused";
      case "before":
        await this.#workspaces.beforeRun(this.#of, this.#known(), report, live);
        return "ok";
      case "after":
        await this.#workspaces.afterRun(this.#of, this.#known(), report);
        return "ok";
      case "print":
        return (await fingerprint(this.#ground.path, this.#rescues)) === null ? "unknown" : "known";
      case "sizes": {
        const space = await this.#disk.look(this.#of.workspace);
        // Without a limit it lets go of the directory it is in.
        await this.#disk.look({ ...this.#of.workspace, maxBytes: null });
        return (space.usedBytes ?? 0) > 0 ? "some" : "none";
      }
      case "remove":
        return (await this.#workspaces.remove(this.#of, report)) ? "removed" : "nothing";
      case "restore": {
        const [last] = await listRescues(this.#rescues);
        if (last === undefined) return "nothing";
        const restored = await restore(last, `${this.#ground.state}/back`);
        return `${restored.commits} ${restored.files}`;
      }
    }
  }

  #known(): Workspace {
    if (this.#workspace !== null) return this.#workspace;
    return { path: this.#ground.path, key: identifier, createdNow: false };
  }
}

/** Whether a failure says what and where, why, and what to do, and is of the boundary's own kind. */
export const isNamed = (error: unknown): boolean =>
  error instanceof WorkspaceError &&
  error.hint !== null &&
  /\/\S/.test(error.message) &&
  !error.message.includes("/proc/self/fd") &&
  error.message.length > 20;
