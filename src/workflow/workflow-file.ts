/** One WORKFLOW.md over the life of the daemon: keeps the last good version while the file on disk is broken (SPEC 6.2). */
import path from "node:path";
import type { Workflow } from "../domain/domain.ts";
import { type FileRead, type Loaded, loadRead, readWorkflow } from "./load.ts";
import type { PromptTrial } from "./prompt-trial.ts";
import { readSource } from "./source.ts";
import { type TrackerReaders, trackerReaders } from "./tracker-kinds.ts";
import { WorkflowError } from "./workflow-error.ts";

export class WorkflowFile {
  /** Absolute. */
  readonly path: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #home: string;
  readonly #kinds: TrackerReaders;
  readonly #trial: PromptTrial;
  /** What was on the disk when it was last read. */
  #seen: string;
  #loaded: Loaded;
  #current: Workflow;

  /**
   * Loads the file; `trial` is asked about its template, now and at each reload.
   * @throws WorkflowError: a daemon does not start on a workflow it cannot use (SPEC 6.3).
   */
  constructor(
    file: string,
    env: Readonly<Record<string, string | undefined>>,
    home: string,
    kinds: TrackerReaders = trackerReaders,
    trial: PromptTrial = () => ({ problem: null, warnings: [] }),
  ) {
    this.path = path.resolve(file);
    this.#env = env;
    this.#home = home;
    this.#kinds = kinds;
    this.#trial = trial;
    const read = readWorkflow(this.path);
    this.#seen = read.state;
    this.#loaded = this.#load(read);
    if (!this.#loaded.ok) throw this.#loaded.error;
    this.#current = this.#loaded.workflow;
  }

  /** The last version that was good. */
  current(): Workflow {
    return this.#current;
  }

  /** What the version on disk looked like when it was last read. */
  loaded(): Loaded {
    return this.#loaded;
  }

  /**
   * Looks at the file again. `changed`: its content is not what the last look saw, so there is news, good or bad; a file
   * that stays broken is news once. Cheap when nothing changed: fit for every tick.
   */
  reload(): { readonly changed: boolean; readonly loaded: Loaded } {
    // Read once: a save between two readings would leave the state of one with the content of the other.
    const read = readWorkflow(this.path);
    if (read.state === this.#seen) return { changed: false, loaded: this.#loaded };
    this.#seen = read.state;
    this.#loaded = this.#sameName(this.#load(read));
    if (this.#loaded.ok) this.#current = this.#loaded.workflow;
    return { changed: true, loaded: this.#loaded };
  }

  /** A template that cannot be used for any issue makes the file one that cannot: `validate` says so too. */
  #load(read: FileRead): Loaded {
    const loaded = loadRead(read, this.path, this.#env, this.#home, this.#kinds);
    return loaded.ok ? tried(loaded, this.#trial) : loaded;
  }

  /** Claims and runs are filed under the name: under another one they would belong to nobody. */
  #sameName(loaded: Loaded): Loaded {
    const before = this.#current.settings.name;
    if (!loaded.ok || loaded.workflow.settings.name === before) return loaded;
    const text = `it was "${before}" when Baton started and is "${loaded.workflow.settings.name}" now; restart Baton to rename a workflow`;
    const source = readSource(loaded.workflow.text);
    const place = source.ok ? source.locate(["name"], "value") : null;
    const problem = { kind: "workflow_invalid", place, key: "name", text } as const;
    return { ok: false, error: new WorkflowError(this.path, [problem]) };
  }
}

/** The file with what its template comes to. */
export function tried(loaded: Extract<Loaded, { ok: true }>, trial: PromptTrial): Loaded {
  const { problem, warnings } = trial(loaded.workflow);
  return problem === null
    ? { ...loaded, warnings: [...loaded.warnings, ...warnings] }
    : { ok: false, error: new WorkflowError(loaded.workflow.path, [problem]) };
}
