/** Runs are started, a few at a time, and those under way are found by their id until they are over. */
import PQueue from "p-queue";
import {
  type Fact,
  type FactBody,
  failure,
  type IssueId,
  type RunId,
  type UnderWay,
  type Workflow,
} from "../../domain/domain.ts";
import { Attempt, type AttemptParts } from "../attempt.ts";
import type { News } from "../../scheduler/scheduler.ts";
import type { TrackerFor } from "../trackers.ts";
import type { UnsettledCall } from "../unsettled.ts";
import type { Done } from "../../workflow/workflow.ts";
import type { Workflows } from "../workflows.ts";
import type { Chore } from "./chore.ts";

/** Workspaces made at once: each may run a clone, and more of them only make all of them slow. */
const STARTS_AT_ONCE = 16;

export interface AttemptsParts
  extends Pick<AttemptParts, "agent" | "workspaces" | "survey" | "work" | "markOf" | "clock" | "publish"> {
  readonly workflows: Pick<Workflows, "current">;
  readonly trackerFor: TrackerFor;
  /** The ledger's own random name; with a run's id it makes the mark of the run's processes. */
  readonly installation: string;
  /** Like `publish`, and on disk when it returns. @throws LedgerError */
  readonly record: (fact: Fact) => void;
  readonly dispatch: (news: News) => void;
  /** Calls of the issue's run before this one that went out and were not answered. */
  readonly unsettled: (issue: IssueId, run: RunId) => readonly UnsettledCall[];
  /** What was done in the issue's runs before this one; null = nothing that a thread could know. */
  readonly done: (issue: IssueId, run: RunId) => Done | null;
}

export class Attempts {
  readonly #parts: AttemptsParts;
  readonly #live = new Map<RunId, Attempt>();
  readonly #queue = new PQueue({ concurrency: STARTS_AT_ONCE });
  /** Told when the last attempt is over. */
  #idle: (() => void) | null = null;

  constructor(parts: AttemptsParts) {
    this.#parts = parts;
  }

  /** The attempt of a run under way; none when it is over, which is no mistake: its end may be on its way as news. */
  of(run: RunId): Attempt | undefined {
    return this.#live.get(run);
  }

  /** What the agents do just now, by run; those that do nothing are left out. */
  underWay(): ReadonlyMap<RunId, readonly UnderWay[]> {
    const found = [...this.#live].map(([run, attempt]) => [run, attempt.underWay()] as const);
    return new Map(found.filter(([, work]) => work.length > 0));
  }

  /** Resolves when the run has a session, or is over; never rejects. */
  start(work: Chore<"start">): Promise<void> {
    const attempt = this.#attempt(work);
    // Known before it begins, so that what waits in the queue can be stopped.
    this.#live.set(work.run.id, attempt);
    return this.#queue.add(() => attempt.start(work.resume));
  }

  /** Ends every attempt under way without patience for its turn; resolves when all have told that they are over. */
  async end(): Promise<void> {
    const why = failure("shutdown", "Baton could not wait for the end of the run.");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    if (this.#live.size === 0) resolve();
    for (const attempt of this.#live.values()) attempt.giveUp(why);
    await promise;
  }

  #attempt({ run, issue, fingerprint, telling }: Chore<"start">): Attempt {
    const { agent, workspaces, survey, markOf, clock, publish, record } = this.#parts;
    const { unsettled, done, work, trackerFor, dispatch } = this.#parts;
    // The settings it begins with are its own until it ends, whatever is loaded meanwhile.
    const reloaded = (): Workflow => this.#parts.workflows.current(run.workflow);
    const workflow = reloaded();
    const mark = `${this.#parts.installation}.${run.id}`;
    const scope = {
      workflow: run.workflow,
      issueId: issue.id,
      identifier: run.identifier,
      runId: run.id,
    };
    const stamped = (body: FactBody): Fact => ({ ...body, ...scope, at: clock.now() });
    return new Attempt(run, issue, workflow, {
      agent,
      workspaces,
      mark,
      home: () => trackerFor(workflow).home(),
      fingerprint,
      telling,
      done: () => done(issue.id, run.id),
      work,
      reloaded,
      read: async (signal) => (await trackerFor(reloaded()).issues([issue.id], signal))[0] ?? null,
      unsettled: () => unsettled(issue.id, run.id),
      survey,
      markOf,
      clock,
      publish,
      tools: () =>
        trackerFor(workflow).tools({
          mark,
          publish: (body) => publish(stamped(body)),
          record: (body) => record(stamped(body)),
        }),
      report: (news) => {
        if (news.type === "exited") this.#live.delete(run.id);
        dispatch(news);
        if (this.#live.size === 0) this.#idle?.();
      },
    });
  }
}
