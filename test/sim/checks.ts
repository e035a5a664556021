/**
 * What must be true of the world after every step, over restarts, checked from outside: what was written down, what was
 * done, what agents live. `scheduler/invariants.ts` holds within a step and is checked by the loop itself.
 */
import type { PauseScope } from "../../src/domain/order.ts";
import type { IssueId } from "../../src/domain/issue.ts";
import type { RunId, ThreadId, WorkflowName } from "../../src/domain/run.ts";
import type { Instant } from "../../src/domain/time.ts";
import type { MemoryLedger } from "../../src/ledger/memory.ts";
import type { LedgerRecord, Work } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import { dayOf } from "../../src/scheduler/gates.ts";
import type { Hold, Pause, Policy, State } from "../../src/scheduler/state.ts";
import { Accounts } from "./account.ts";
import type { AgentProcess } from "./agents.ts";
import type { Board } from "./board.ts";
import { InTime } from "./in-time.ts";
import type { Rule, Violation } from "./rules.ts";
import { checkWaits } from "./check-holds.ts";
import { Order } from "./check-order.ts";
import { checkRecords } from "./check-records.ts";
import { checkCut, checkRemoval, checkWork } from "./check-work.ts";
import { checkRecovery } from "./check-recovery.ts";
import type { Timeline } from "./timeline.ts";

export interface Surroundings {
  readonly timeline: Timeline;
  readonly board: Board;
  readonly ledger: MemoryLedger;
  /** All agents with a process, of whichever daemon. */
  readonly agents: ReadonlySet<AgentProcess>;
  /** Threads that can never go on. */
  readonly deadThreads: ReadonlyMap<ThreadId, unknown>;
  /** Runs that ended by an outage of the provider, or a fault of the installation: by its number. */
  readonly struck: ReadonlyMap<RunId, number>;
  /** What the daemon was last told, and knows, of its workflows. */
  readonly policies: ReadonlyMap<WorkflowName, Policy>;
}

/** One step of the scheduler, as it came out of `decide`. */
export interface Step {
  readonly before: State;
  readonly event: Event;
  readonly after: State;
  readonly records: readonly LedgerRecord[];
  readonly work: readonly Work[];
  /** What time it really was. */
  readonly trueAt: Instant;
}

export class Checks {
  readonly around: Surroundings;
  readonly accounts = new Accounts();
  readonly holds = new Map<WorkflowName, Hold>();
  /** Until when the provider itself said that it takes no work. */
  readonly told = new Map<WorkflowName, number>();
  readonly pauses = new Map<PauseScope, Pause>();
  readonly obeyed = new Set<number>();
  /** Workflows that the daemon was told can start nothing: their file is broken, their disk has no room. */
  readonly broken = new Set<WorkflowName>();
  readonly low = new Set<WorkflowName>();
  /** True time at which the scope of a workflow last changed. */
  readonly rescopedAt = new Map<WorkflowName, number>();
  readonly inTime = new InTime(this);
  readonly order = new Order(this);
  readonly found: Violation[] = [];
  /**
   * The last day on which the daemon's clock was ahead of what it is now. Until it has come again, what a day has used is
   * not known: a start remembers the newest day only.
   */
  muddledUntil = -1;
  step: Step | null = null;
  /** Somebody asked it to come to an end. */
  leaving = false;

  constructor(around: Surroundings) {
    this.around = around;
  }

  /** A rule is broken; `issue`: the one that it is about, null = everything. */
  fail(rule: Rule, issue: IssueId | null, words: string): void {
    this.found.push({ rule, words, issue });
  }

  /** A step was decided; nothing of it is true yet. */
  decided(step: Step): void {
    this.step = step;
    const { event } = step;
    if (event.type === "stop_requested") this.leaving = true;
    if (event.type === "misconfigured") this.broken.add(event.workflow);
    if (event.type === "configured") this.broken.delete(event.policy.workflow);
    if (event.type === "disk_checked") this.#roomFor(event);
    if (event.type === "configured" && !step.before.workflows.has(event.policy.workflow))
      checkWaits(this, step);
    if (event.type === "configured") this.#rescoped(step, event.policy);
    this.inTime.decided(step);
    this.order.decided(step);
  }

  /** These steps are on disk. */
  committed(steps: readonly Step[]): void {
    this.inTime.ease();
    for (const step of steps) {
      if (step.event.type === "usage") this.#spend(step, step.event);
      if (step.event.type === "checked") checkCut(this, step, step.event);
      checkRecords(this, step);
    }
  }

  /** What was decided could not be written: it never was. `again`: it is tried until it can be. */
  lost(again: boolean): void {
    this.step = null;
    if (again) this.inTime.stick();
  }

  /** A piece of work is about to be begun. */
  doing(work: Work): void {
    this.inTime.doing(work);
    if (this.step === null) return;
    checkWork(this, this.step, work);
    this.order.doing(work, this.step);
  }

  /** The turn of a removal has come, perhaps long after it was asked for. */
  removing(work: Extract<Work, { type: "remove" }>): void {
    checkRemoval(this, work);
  }

  /** A new process begins with this, when the last one knew that. */
  recovered(last: State | null, now: State, at: Instant, records: readonly LedgerRecord[]): void {
    this.step = null;
    this.leaving = false;
    this.broken.clear();
    this.low.clear();
    const newest = Math.max(-1, ...this.accounts.days.keys());
    if (dayOf(at) < newest) this.muddledUntil = newest;
    if (last !== null) checkRecovery(this, last, now, at);
    const { true: trueAt } = this.around.timeline;
    checkRecords(this, { before: now, event: { type: "began", at }, after: now, records, work: [], trueAt });
    this.inTime.begin();
    this.order.begin();
  }

  /** The sums of the whole ledger, against what the world told. */
  audit(): void {
    const rows = this.around.ledger.runs({ limit: Number.MAX_SAFE_INTEGER });
    const sum = rows.reduce((total, row) => total + row.tokens.total, 0);
    if (sum !== this.accounts.total())
      this.fail("I6", null, `the ledger counts ${sum} tokens, the threads used ${this.accounts.total()}`);
    for (const row of rows) {
      if ((row.ending === null) === this.accounts.runs.get(row.id)?.ended)
        this.fail(
          "I5",
          row.issueId,
          `${row.id} has ${row.ending === null ? "no outcome" : "an outcome nobody wrote"}`,
        );
    }
  }

  /** A report of usage is written down with what it adds, as soon as anything is. */
  #spend({ records }: Step, event: Extract<Event, { type: "usage" }>): void {
    const amount = this.#amount(event);
    const run = this.accounts.open.get(event.issueId);
    if (amount === 0 || run === undefined) return;
    this.accounts.spend(run, event.threadId, amount, dayOf(event.at));
    if (!records.some((record) => record.type === "usage"))
      this.fail("I6", event.issueId, "usage was not written down");
  }

  #amount({ issueId, runId, threadId, total }: Extract<Event, { type: "usage" }>): number {
    const run = this.accounts.open.get(issueId);
    // Before its first turn a run uses nothing: what it is told then is what others used.
    if (run?.id !== runId || run.thread === null || run.turns === 0) return 0;
    return this.accounts.spentBy(threadId, total.total);
  }

  /** The queue that was made of the tickets of another project goes with it. */
  #rescoped({ before, after, trueAt }: Step, { workflow, scope }: Policy): void {
    if (before.workflows.get(workflow)?.policy.scope === scope) return;
    this.rescopedAt.set(workflow, trueAt);
    const queue = after.workflows.get(workflow)?.queue ?? [];
    if (queue.length > 0)
      this.fail("scope", null, `${workflow} is of another project, and has the queue of the one before`);
  }

  #roomFor({ workflow, low }: Extract<Event, { type: "disk_checked" }>): void {
    if (low === null) this.low.delete(workflow);
    else this.low.add(workflow);
  }
}
