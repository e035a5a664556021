/**
 * Effect type to runner, one line each in `run`. Runners do real work and report back with events; they decide nothing.
 * No runner rejects: trouble is news.
 */
import PQueue from "p-queue";
import type { Agent } from "../agent/port.ts";
import type { Fact, FactBody, Scope } from "../domain/fact.ts";
import { failure } from "../domain/failure.ts";
import type { IssueId } from "../domain/issue.ts";
import type { RunId, WorkflowName } from "../domain/run.ts";
import type { Workflow, WorkspaceSettings } from "../domain/settings.ts";
import type { Work } from "../scheduler/effects.ts";
import { TrackerError, type Tracker } from "../tracker/port.ts";
import { workspaceKey } from "../workspace/key.ts";
import type { Workspaces } from "../workspace/port.ts";
import { Attempt } from "./attempt.ts";
import { checkIssue } from "./chores/check.ts";
import type { Clock } from "./clock.ts";
import type { Failpoint } from "./failpoints.ts";
import type { News } from "./loop.ts";
import type { ToolsFor, TrackerFor } from "./trackers.ts";
import { within } from "../processes/within.ts";
import type { UnsettledCall } from "./unsettled.ts";
import type { Workflows } from "./workflows.ts";

/** Workspaces made at once: each may run a clone, and more of them only make all of them slow. */
const STARTS_AT_ONCE = 16;

/** Workspaces removed at once: deleting is disk work that nobody waits for. */
const REMOVALS_AT_ONCE = 2;

/** For a removal that is given up to end its git and its hooks; twice what ending those takes at most. */
const GIVE_UP_MS = 5_000;

export interface RunnersParts {
  readonly workflows: Workflows;
  readonly trackerFor: TrackerFor;
  readonly toolsFor: ToolsFor;
  readonly agent: Agent;
  readonly workspaces: Workspaces;
  readonly survey: (path: string) => Promise<string | null>;
  readonly diskLow: (settings: WorkspaceSettings) => Promise<string | null>;
  readonly tidy: () => Promise<void>;
  readonly clock: Clock;
  /** The ledger's own random name; with a run's id it makes the mark of the run's processes. */
  readonly installation: string;
  readonly publish: (fact: Fact) => void;
  /** Like `publish`, and on disk when it returns. @throws LedgerError */
  readonly record: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
  /** Calls of the issue's run before this one that went out and were not answered. */
  readonly unsettled: (issue: IssueId, run: RunId) => readonly UnsettledCall[];
  readonly onExit: (clean: boolean) => void;
  /** A test may end the process when a piece of work is done. */
  readonly failpoint?: Failpoint | undefined;
}

type Of<T extends Work["type"]> = Extract<Work, { type: T }>;

export class Runners {
  readonly #parts: RunnersParts;
  readonly #attempts = new Map<RunId, Attempt>();
  readonly #starts = new PQueue({ concurrency: STARTS_AT_ONCE });
  readonly #removals = new PQueue({ concurrency: REMOVALS_AT_ONCE });
  /** Ends tracker requests that nobody will hear the answer of. */
  readonly #abort = new AbortController();
  /** Ends removals that take longer than the daemon may. */
  readonly #giveUp = new AbortController();
  /** Told when the last attempt is over. */
  #idle: (() => void) | null = null;

  constructor(parts: RunnersParts) {
    this.#parts = parts;
  }

  run(work: Work): void {
    const done = this.#begin(work);
    const { failpoint } = this.#parts;
    if (failpoint !== undefined)
      void Promise.resolve(done).then(() => failpoint(`${work.type}: after effect`));
  }

  /** A promise, for work that is not done at once. */
  #begin(work: Work): unknown {
    switch (work.type) {
      case "poll":
        return this.#poll(work);
      case "revalidate":
        return this.#revalidate(work);
      case "sweep":
        return this.#sweep(work);
      case "remove":
        return this.#removals.add(() => this.#remove(work));
      case "start":
        return this.#start(work);
      case "check":
        return this.#check(work);
      case "turn":
        return this.#attempts.get(work.runId)?.turn(work);
      case "steer":
        return this.#attempts.get(work.runId)?.steer(work);
      case "probe":
        return this.#attempts.get(work.runId)?.probe();
      case "stop":
        return this.#attempts.get(work.runId)?.stop(work.why, work.survey);
      case "exit":
        return this.#parts.onExit(work.clean);
    }
  }

  /** Ends every attempt under way without patience for its turn; resolves when all have told that they are over. */
  async endAttempts(): Promise<void> {
    const why = failure("shutdown", "Baton could not wait for the end of the run.");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    if (this.#attempts.size === 0) resolve();
    for (const attempt of this.#attempts.values()) attempt.giveUp(why);
    await promise;
  }

  /**
   * Gives up on requests under way, and waits so long for removals that have begun, work being saved among them. What is
   * given up then stays where it is; the next start finds it and does it again.
   */
  async close(patienceMs: number): Promise<void> {
    this.#abort.abort();
    this.#removals.clear();
    const idle = this.#removals.onIdle();
    if (await within(patienceMs, idle)) return;
    this.#giveUp.abort();
    await within(GIVE_UP_MS, idle);
  }

  async #poll({ workflow, running }: Of<"poll">): Promise<void> {
    const { workflows, trackerFor, dispatch, clock } = this.#parts;
    // The safety net under the watcher: events get lost, hashes do not (SPEC 6.2).
    workflows.check(workflow);
    const tracker = (): Tracker => trackerFor(workflows.current(workflow));
    const signal = this.#abort.signal;
    try {
      if (running.length > 0)
        dispatch({
          type: "refreshed",
          workflow,
          ids: running,
          statuses: await tracker().statuses(running, signal),
        });
    } catch (error) {
      dispatch({ type: "refresh_failed", workflow, ...described(error) });
    }
    await this.#lookAtDisk(workflow);
    const startedAt = clock.now();
    try {
      const candidates = await tracker().candidates(signal);
      dispatch({ type: "polled", workflow, candidates, tookMs: clock.now() - startedAt });
    } catch (error) {
      dispatch({ type: "poll_failed", workflow, ...described(error), retryAt: retryAtOf(error) });
    }
  }

  /** Before the scan, so that nothing it finds is started on a full disk. A disk that cannot be asked is said, not feared. */
  async #lookAtDisk(workflow: WorkflowName): Promise<void> {
    const { workflows, diskLow, dispatch, publish, clock } = this.#parts;
    try {
      const low = await diskLow(workflows.current(workflow).settings.workspace);
      dispatch({ type: "disk_checked", workflow, low });
    } catch (error) {
      publish({ type: "warning", message: described(error).error, workflow, at: clock.now() });
    }
  }

  async #revalidate({ workflow, ids }: Of<"revalidate">): Promise<void> {
    const { workflows, trackerFor, dispatch } = this.#parts;
    try {
      const issues = await trackerFor(workflows.current(workflow)).issues(ids, this.#abort.signal);
      dispatch({ type: "revalidated", workflow, ids, issues });
    } catch (error) {
      dispatch({ type: "revalidation_failed", workflow, ...described(error), retryAt: retryAtOf(error) });
    }
  }

  #start({ run, issue, resume, fingerprint }: Of<"start">): Promise<void> {
    const { workflows, trackerFor, toolsFor, agent, workspaces, clock, publish, record, dispatch } =
      this.#parts;
    const workflow = workflows.current(run.workflow);
    const scope: Scope = {
      workflow: run.workflow,
      issueId: issue.id,
      identifier: run.identifier,
      runId: run.id,
    };
    const stamped = (body: FactBody): Fact => ({ ...body, ...scope, at: clock.now() });
    const mark = `${this.#parts.installation}.${run.id}`;
    const attempt = new Attempt(run, issue, workflow, {
      agent,
      workspaces,
      mark,
      fingerprint,
      unsettled: () => this.#parts.unsettled(issue.id, run.id),
      survey: this.#parts.survey,
      clock,
      publish,
      tools: () =>
        toolsFor(trackerFor(workflow), {
          mark,
          publish: (body) => publish(stamped(body)),
          record: (body) => record(stamped(body)),
        }),
      report: (news) => {
        if (news.type === "exited") this.#attempts.delete(run.id);
        dispatch(news);
        if (this.#attempts.size === 0) this.#idle?.();
      },
    });
    this.#attempts.set(run.id, attempt);
    return this.#starts.add(() => attempt.start(resume));
  }

  async #check({ runId, issueId, workflow }: Of<"check">): Promise<void> {
    const { workflows, trackerFor, clock, dispatch } = this.#parts;
    const statuses = async () =>
      trackerFor(workflows.current(workflow)).statuses([issueId], this.#abort.signal);
    const news = await checkIssue(statuses, clock, this.#abort.signal);
    dispatch({ ...news, runId, issueId });
  }

  /** Workspaces left by issues that ended while nobody looked (SPEC 8.6). */
  async #sweep({ workflow }: Of<"sweep">): Promise<void> {
    const { workflows, trackerFor, workspaces, clock, publish, dispatch } = this.#parts;
    const current = workflows.current(workflow);
    try {
      await this.#parts.tidy();
      const keys = new Set(await workspaces.existing(current.settings.workspace));
      if (keys.size === 0) return;
      const done = await trackerFor(current).inStates(
        current.settings.tracker.terminalStates,
        this.#abort.signal,
      );
      const issues = done.filter((issue) => keys.has(workspaceKey(issue.identifier)));
      if (issues.length > 0) dispatch({ type: "leftovers_found", workflow, issues });
    } catch (error) {
      const message = `The sweep for workspaces of finished issues did not work; it is repeated in an hour. ${described(error).error}`;
      publish({ type: "warning", message, workflow, at: clock.now() });
    }
  }

  async #remove({ workflow, issueId, identifier }: Of<"remove">): Promise<void> {
    const { workflows, workspaces, clock, publish } = this.#parts;
    const { settings } = workflows.current(workflow) satisfies Workflow;
    const say = (body: FactBody): void =>
      publish({ ...body, workflow, issueId, identifier, at: clock.now() });
    const { workspace, hooks, codex } = settings;
    try {
      await workspaces.remove(
        { identifier, issueId, runId: null, mark: null, workspace, hooks, envPass: codex.envPass },
        say,
        this.#giveUp.signal,
      );
    } catch (error) {
      say({ type: "workspace_kept", path: workspaceKey(identifier), error: described(error).error });
    }
  }
}

const described = (error: unknown): { readonly kind: string; readonly error: string } => ({
  kind: error instanceof TrackerError ? error.kind : "internal",
  error: error instanceof Error ? error.message : String(error),
});

const retryAtOf = (error: unknown) => (error instanceof TrackerError ? error.retryAt : null);
