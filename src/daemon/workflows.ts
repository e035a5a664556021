/**
 * The WORKFLOW.md files of this daemon: the last good text of each, reloaded when the watcher or the hash check of a
 * tick says so (SPEC 6.2). A bad reload changes nothing but stops new dispatches under that workflow until it is mended.
 */
import type { Fact, Workflow, WorkflowName } from "../domain/domain.ts";
import { type Ledger, LedgerError } from "../ledger/ledger.ts";
import { type Watching, watchWorkflow, type WorkflowFile } from "../workflow/workflow.ts";
import type { Clock } from "./clock.ts";
import type { News } from "../scheduler/scheduler.ts";
import { policyOf } from "./policy.ts";

export interface WorkflowsParts {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly publish: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
  readonly onLoaded: (workflow: Workflow) => void;
}

interface Loaded {
  readonly workflow: Workflow;
  readonly warnings: readonly string[];
}

export class Workflows {
  readonly #files: ReadonlyMap<WorkflowName, WorkflowFile>;
  readonly #parts: WorkflowsParts;
  /** Loaded, and not in force before the ledger has taken their texts. */
  readonly #unkept = new Map<WorkflowName, Loaded>();
  #watches: readonly Watching[] = [];

  /** `files` hold their first good text already: starting with a broken file is refused before this. */
  constructor(files: readonly WorkflowFile[], parts: WorkflowsParts) {
    this.#files = new Map(files.map((file) => [file.current().settings.name, file]));
    this.#parts = parts;
  }

  /** The settings in force. @throws Error for a workflow that this daemon does not run. */
  current(name: WorkflowName): Workflow {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`No workflow is called "${name}" here.`);
    return file.current();
  }

  all(): readonly Workflow[] {
    return [...this.#files.values()].map((file) => file.current());
  }

  /** Writes the texts down that are there at the start. @throws LedgerError */
  keep(): void {
    for (const workflow of this.all()) this.#keep(workflow);
  }

  /** Tells the scheduler of every workflow, and watches the files from now on. The texts are kept already. */
  async start(warnings: ReadonlyMap<WorkflowName, readonly string[]>): Promise<void> {
    for (const [name, file] of this.#files)
      this.#loaded({ workflow: file.current(), warnings: warnings.get(name) ?? [] });
    this.#watches = [...this.#files].map(([name, file]) => watchWorkflow(file.path, () => this.check(name)));
    const watches = this.#watches;
    await Promise.all(watches.map((watch) => watch.ready));
    // What was changed before anybody watched. Stopped meanwhile, nobody asks any more.
    if (watches === this.#watches) for (const name of this.#files.keys()) this.check(name);
  }

  async stop(): Promise<void> {
    const watches = this.#watches;
    this.#watches = [];
    await Promise.all(watches.map((watch) => watch.close()));
  }

  /** Reloads the file if its content is not what was last looked at. */
  check(name: WorkflowName): void {
    const file = this.#files.get(name);
    if (file === undefined) return;
    const { changed, loaded } = file.reload();
    const unkept = this.#unkept.get(name);
    if (!changed) return unkept === undefined ? undefined : this.#loaded(unkept);
    this.#unkept.delete(name);
    if (!loaded.ok) return this.#rejected(name, file.path, loaded.error.message);
    this.#loaded(loaded);
  }

  #loaded({ workflow, warnings }: Loaded): void {
    const { clock, publish, dispatch, onLoaded } = this.#parts;
    const { hash, path, settings } = workflow;
    onLoaded(workflow);
    try {
      // The text is kept before anything can start under it.
      this.#keep(workflow);
    } catch (error) {
      if (!(error instanceof LedgerError && error.mayPass)) throw error;
      this.#unkept.set(settings.name, { workflow, warnings });
      return this.#rejected(settings.name, path, `its text could not be written down yet: ${error.message}`);
    }
    this.#unkept.delete(settings.name);
    publish({ type: "workflow_loaded", workflow: settings.name, path, hash, warnings, at: clock.now() });
    dispatch({ type: "configured", policy: policyOf(workflow) });
  }

  #keep({ hash, path, text }: Workflow): void {
    this.#parts.ledger.keepWorkflow(hash, path, text, this.#parts.clock.now());
  }

  #rejected(name: WorkflowName, path: string, error: string): void {
    this.#parts.publish({
      type: "workflow_rejected",
      workflow: name,
      path,
      error,
      at: this.#parts.clock.now(),
    });
    this.#parts.dispatch({ type: "misconfigured", workflow: name, error });
  }
}
