/** Workspaces of issues that nobody works on any more are removed, a few at a time. */
import PQueue from "p-queue";
import type { Fact, FactBody, IssueId } from "../../domain/domain.ts";
import { within } from "../../processes/processes.ts";
import {
  WorkspaceError,
  type WorkspaceFor,
  workspaceKey,
  type Workspaces,
} from "../../workspace/workspace.ts";
import type { Clock } from "../clock.ts";
import type { Roots } from "../roots.ts";
import type { TrackerFor } from "../trackers.ts";
import type { Workflows } from "../workflows.ts";
import { type Chore, troubleOf } from "./chore.ts";

/** Workspaces removed at once: deleting is disk work that nobody waits for. */
const REMOVALS_AT_ONCE = 2;

/** For a removal that is given up to end its git and its hooks; twice what ending those takes at most. */
const GIVE_UP_MS = 5_000;

export interface RemovalsParts {
  readonly workflows: Pick<Workflows, "current">;
  readonly trackerFor: TrackerFor;
  readonly workspaces: Pick<Workspaces, "remove">;
  readonly roots: Pick<Roots, "of">;
  /** Whether nobody has taken the issue up again, by what the scheduler knows at this moment. */
  readonly mayRemove: (issue: IssueId) => boolean;
  readonly clock: Clock;
  readonly publish: (fact: Fact) => void;
}

export class Removals {
  readonly #parts: RemovalsParts;
  readonly #queue = new PQueue({ concurrency: REMOVALS_AT_ONCE });
  /** Ends removals that take longer than the daemon may. */
  readonly #giveUp = new AbortController();

  constructor(parts: RemovalsParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the workspace is gone, said to be kept, or its issue was taken up again before its turn came; never
   * rejects. From the look to the asking nothing is awaited: who takes the issue up after it waits for the removal (the
   * workspace does one thing at a time), and gets a fresh directory.
   */
  remove(work: Chore<"remove">): Promise<void> {
    // What is given up in line, when the daemon stops, rejects; a removal itself never does.
    return this.#queue.add(() => this.#remove(work)).catch(() => {});
  }

  /**
   * Begins no other, and waits so long for those that have begun, work being saved among them. What is given up then
   * stays where it is; the next start finds it and does it again.
   */
  async close(patienceMs: number): Promise<void> {
    this.#queue.clear();
    const idle = this.#queue.onIdle();
    if (await within(patienceMs, idle)) return;
    this.#giveUp.abort();
    await within(GIVE_UP_MS, idle);
  }

  async #remove({ workflow, issueId, identifier }: Chore<"remove">): Promise<void> {
    const { workflows, trackerFor, workspaces, roots, mayRemove, clock, publish } = this.#parts;
    const current = workflows.current(workflow);
    const { workspace, hooks, codex } = current.settings;
    const tracker = await trackerFor(current).home();
    const whose = { identifier, issueId, tracker, workflow };
    const of = { ...whose, runId: null, mark: null, workspace, hooks, envPass: codex.envPass };
    if (!mayRemove(issueId)) return;
    const say = (body: FactBody): void =>
      publish({ ...body, workflow, issueId, identifier, at: clock.now() });
    try {
      const removing = [workspaces.remove(of, say, this.#giveUp.signal)];
      for (const root of roots.of(issueId))
        if (root !== workspace.root)
          removing.push(workspaces.remove(inRoot(of, root), say, this.#giveUp.signal, "recorded"));
      for (const one of await Promise.allSettled(removing)) if (one.status === "rejected") throw one.reason;
    } catch (error) {
      // Nobody keeps a list of them: the sweep finds whatever is there of issues that are over.
      const again = this.#giveUp.signal.aborted ? "start" : "sweep";
      say({ type: "workspace_kept", path: workspaceKey(identifier), error: wordsOf(error), again });
    }
  }
}

/** What went wrong and what to do about it. */
function wordsOf(error: unknown): string {
  const what = troubleOf(error).error.replace(/\.$/, "");
  const hint = error instanceof WorkspaceError ? error.hint : null;
  return hint === null ? `${what}.` : `${what}. ${hint}`;
}

/** Where `workspace.root` was before, only what is recorded as the issue's is its own. */
const inRoot = (of: WorkspaceFor, root: string): WorkspaceFor => ({
  ...of,
  workspace: { ...of.workspace, root },
});
