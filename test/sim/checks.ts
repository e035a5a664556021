/**
 * What must be true of the world after every step, over restarts, checked from outside: what was written down, what was
 * done, what agents live. `scheduler/invariants.ts` holds within a step and is checked by the loop itself.
 */
import type { IssueId } from "../../src/domain/issue.ts";
import type { WorkflowName } from "../../src/domain/run.ts";
import type { MemoryLedger } from "../../src/ledger/memory.ts";
import { LEAVE_MS } from "../../src/scheduler/running.ts";
import { unroutable } from "../../src/scheduler/eligible.ts";
import type { Effect, LedgerRecord, Work } from "../../src/scheduler/effects.ts";
import type { Event } from "../../src/scheduler/events.ts";
import { dayOf } from "../../src/scheduler/gates.ts";
import type { Hold, Pause, PauseScope, Policy, State } from "../../src/scheduler/state.ts";
import { Accounts } from "./account.ts";
import { LEAVE_MAX_MS, type AgentProcess } from "./agents.ts";
import type { Board } from "./board.ts";
import { checkRecords } from "./check-records.ts";
import { checkWork } from "./check-work.ts";
import { checkRecovery } from "./check-recovery.ts";
import type { Timeline } from "./timeline.ts";

export interface Surroundings {
  readonly timeline: Timeline;
  readonly board: Board;
  readonly ledger: MemoryLedger;
  /** All agents with a process, of whichever daemon. */
  readonly agents: ReadonlySet<AgentProcess>;
  /** What the daemon was last told, and knows, of its workflows. */
  readonly policies: ReadonlyMap<WorkflowName, Policy>;
}

/** One step of the scheduler, as it came out of `decide`. */
export interface Step {
  readonly before: State;
  readonly event: Event;
  readonly after: State;
  readonly effects: readonly Effect[];
}

/**
 * Effects of one type within a virtual minute. A minute has two or three polls per workflow; a scan looks at no more
 * than ten of those refused, and a tracker takes 30 ms to answer. More than this is a loop that feeds itself.
 */
const PER_MINUTE: Readonly<Record<Work["type"], number>> = {
  poll: 16,
  revalidate: 100,
  sweep: 8,
  remove: 30,
  start: 40,
  turn: 60,
  check: 60,
  probe: 40,
  steer: 20,
  stop: 40,
  exit: 4,
};

export class Checks {
  readonly around: Surroundings;
  readonly accounts = new Accounts();
  readonly holds = new Map<WorkflowName, Hold>();
  readonly pauses = new Map<PauseScope, Pause>();
  readonly obeyed = new Set<number>();
  readonly found: string[] = [];
  step: Step | null = null;
  /** A report of usage that has to be written down in this step; its amount. */
  #owed = 0;
  #minute = -1;
  #counts = new Map<Work["type"], number>();

  constructor(around: Surroundings) {
    this.around = around;
  }

  fail(rule: string, words: string): void {
    this.found.push(`${rule}: ${words}`);
  }

  /** A step was decided; nothing of it is true yet. */
  decided(step: Step): void {
    this.settleDebt();
    this.step = step;
    const { event } = step;
    if (event.type === "usage") this.#owed = this.#amount(event);
    if (event.type === "refreshed" || event.type === "checked") this.#judge(event);
    if (event.type === "check_failed") this.#leaving(event.issueId);
    this.#lingering(step);
  }

  /** Its records are on disk. */
  committed(records: readonly LedgerRecord[]): void {
    const { step } = this;
    if (step === null) return;
    const { event } = step;
    if (event.type === "usage" && this.#owed > 0) {
      const run = this.accounts.open.get(event.issueId);
      if (run !== undefined) this.accounts.spend(run, event.threadId, this.#owed, dayOf(event.at));
      this.#owed = 0;
      if (!records.some((record) => record.type === "usage")) this.fail("I6", "usage was not written down");
    }
    checkRecords(this, step, records);
  }

  /** The process died before the step was written: it never was. */
  lost(): void {
    this.#owed = 0;
    this.step = null;
  }

  /** An effect is about to be done. */
  doing(work: Work): void {
    this.#count(work);
    if (this.step !== null) checkWork(this, this.step, work);
  }

  /** A new process begins with this, when the last one knew that. */
  recovered(last: State | null, now: State, at: number): void {
    if (last !== null) checkRecovery(this, last, now, at);
    for (const run of this.accounts.open.values()) run.unfitSince = null;
  }

  /** The sums of the whole ledger, against what the world told. */
  audit(): void {
    const rows = this.around.ledger.runs({ limit: Number.MAX_SAFE_INTEGER });
    const sum = rows.reduce((total, row) => total + row.tokens.total, 0);
    if (sum !== this.accounts.total())
      this.fail("I6", `the ledger counts ${sum} tokens, the threads used ${this.accounts.total()}`);
    for (const row of rows) {
      if ((row.ending === null) === this.accounts.runs.get(row.id)?.ended)
        this.fail("I5", `${row.id} has ${row.ending === null ? "no outcome" : "an outcome nobody wrote"}`);
    }
  }

  /** What was owed to the ledger must have been paid by the end of its step. */
  settleDebt(): void {
    if (this.#owed > 0) this.fail("I6", `${this.#owed} tokens were told and not written down`);
    this.#owed = 0;
  }

  #amount({ issueId, runId, threadId, total }: Extract<Event, { type: "usage" }>): number {
    const run = this.accounts.open.get(issueId);
    if (run?.id !== runId || run.thread !== threadId) return 0;
    return this.accounts.spentBy(threadId, total.total);
  }

  /** I7: what the daemon was told of its running issues. */
  #judge(event: Extract<Event, { type: "refreshed" | "checked" }>): void {
    const ids = event.type === "refreshed" ? event.ids : [event.issueId];
    for (const id of ids) {
      const run = this.accounts.open.get(id);
      const policy = run === undefined ? undefined : this.around.policies.get(run.workflow);
      if (run === undefined || policy === undefined) continue;
      if (event.type === "refreshed" ? run.workflow !== event.workflow : run.id !== event.runId) continue;
      const status = event.type === "checked" ? event.status : event.statuses.find((one) => one.id === id);
      const unfit = status == null || unroutable(status, policy) !== null;
      if (!unfit) run.unfitSince = null;
      else if (event.type === "checked") run.unfitSince = this.around.timeline.at;
      else run.unfitSince ??= this.around.timeline.at;
    }
  }

  #leaving(id: IssueId): void {
    const run = this.accounts.open.get(id);
    if (run !== undefined && run.unfitSince !== null) run.unfitSince = this.around.timeline.at;
  }

  /** I7: a run whose issue is not its business any more is gone in time. While its issue is looked at, it does nothing. */
  #lingering({ before }: Step): void {
    const latest = this.around.timeline.at - LEAVE_MS - LEAVE_MAX_MS - 2_000;
    for (const run of this.accounts.open.values()) {
      if (run.unfitSince === null || run.unfitSince > latest) continue;
      const claim = before.claims.get(run.issueId);
      if (claim?.phase === "running" && claim.step === "checking") continue;
      this.fail("I7", `${run.id} goes on although its issue is not its business any more`);
      run.unfitSince = null;
    }
  }

  #count({ type }: Work): void {
    const minute = Math.floor(this.around.timeline.at / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, count);
    if (count === PER_MINUTE[type] + 1) this.fail("I9", `"${type}" goes round in circles`);
  }
}
