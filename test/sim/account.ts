/** What the checks themselves keep of issues and runs, from the news that came and what was written down. */
import type { IssueId } from "../../src/domain/issue.ts";
import type { Ending, Run, RunId, ThreadId, WorkflowName } from "../../src/domain/run.ts";
import type { Claim } from "../../src/scheduler/state.ts";

/** One issue since a person last released it. */
export interface Account {
  runs: number;
  failures: number;
  /** Of these, those that are no ticket's fault: by the outage that struck. */
  struck: Map<number, number>;
  /** Tokens of runs that have ended. */
  tokens: number;
  extraRuns: number;
  extraTokens: number;
  /** The thread that the next run has to resume. */
  thread: ThreadId | null;
  /** Runs in a row that failed with it: only then may it be given up. */
  threadFailed: number;
  /** A person has asked for a new one. */
  newThread: boolean;
  claim: Claim | null;
  /** True time at which it was parked. */
  parkedAt: number;
}

export interface RunAccount {
  readonly id: RunId;
  readonly issueId: IssueId;
  readonly workflow: WorkflowName;
  thread: ThreadId | null;
  turns: number;
  tokens: number;
  ended: boolean;
  /** When its issue was seen to be no longer its business; null = it is. */
  unfitSince: number | null;
  /** When it was seen to have used up its issue's tokens. */
  overSince: number | null;
  /** Silence is noticed. */
  watched: boolean;
  /** It was given no further turn because a gate was shut. */
  cutShort: boolean;
}

/** What is known of the end of a run besides its outcome. */
export interface HowEnded {
  /** Its workflow is held by it. */
  readonly held: boolean;
  /** The outage that has struck it, in truth, which is no ticket's fault; null = none. */
  readonly outage: number | null;
}

export class Accounts {
  readonly #issues = new Map<IssueId, Account>();
  readonly runs = new Map<RunId, RunAccount>();
  readonly open = new Map<IssueId, RunAccount>();
  /** High-water marks of what was acknowledged. */
  readonly marks = new Map<ThreadId, number>();
  /** Tokens acknowledged, by day of the daemon's clock. */
  readonly days = new Map<number, number>();
  /** How often a run has ended by what its thread did. */
  readonly threadFaults = new Map<ThreadId, number>();

  issue(id: IssueId): Account {
    const known = this.#issues.get(id);
    if (known !== undefined) return known;
    const made: Account = {
      runs: 0,
      failures: 0,
      struck: new Map(),
      tokens: 0,
      extraRuns: 0,
      extraTokens: 0,
      thread: null,
      threadFailed: 0,
      newThread: false,
      claim: null,
      parkedAt: 0,
    };
    this.#issues.set(id, made);
    return made;
  }

  /** All issues ever met. */
  all(): ReadonlyMap<IssueId, Account> {
    return this.#issues;
  }

  begin({ id, issueId, workflow }: Run): void {
    const run: RunAccount = {
      id,
      issueId,
      workflow,
      thread: null,
      turns: 0,
      tokens: 0,
      ended: false,
      unfitSince: null,
      overSince: null,
      watched: false,
      cutShort: false,
    };
    this.runs.set(id, run);
    this.open.set(issueId, run);
    this.issue(issueId).runs += 1;
  }

  /** A run is over: what was not the issue's doing counts for nothing. */
  end(run: RunAccount, { outcome, failure }: Ending, { held, outage }: HowEnded): void {
    run.ended = true;
    this.open.delete(run.issueId);
    const issue = this.issue(run.issueId);
    const kind = failure?.kind;
    const free = held || run.cutShort || kind === "shutdown" || kind === "lost";
    if (free) issue.runs = Math.max(0, issue.runs - 1);
    if (outcome === "completed") issue.failures = 0;
    else if (!free && outcome !== "canceled" && outcome !== "interrupted") {
      issue.failures += 1;
      if (outage !== null) issue.struck.set(outage, (issue.struck.get(outage) ?? 0) + 1);
    }
    if (issue.failures === 0) issue.struck.clear();
    issue.tokens += run.tokens;
    const isAnother = run.turns > 0 && run.thread !== null && run.thread !== issue.thread;
    const isOwn = kind === "resume_failed" || kind === "context_window_exceeded";
    if (outcome === "completed") issue.threadFailed = 0;
    else if (!free || isOwn) issue.threadFailed = isAnother ? 1 : issue.threadFailed + 1;
    const thread = run.thread ?? issue.thread;
    if (thread !== null && isOwn) this.threadFaults.set(thread, (this.threadFaults.get(thread) ?? 0) + 1);
    if (run.turns > 0) issue.thread = run.thread;
  }

  /** So many failures have turned out to be nobody's issue. */
  giveBack(id: IssueId, failures: number): void {
    const issue = this.issue(id);
    issue.runs = Math.max(0, issue.runs - failures);
    issue.failures = Math.max(0, issue.failures - failures);
    issue.struck.clear();
  }

  /** What a report adds to a thread's mark. */
  spentBy(thread: ThreadId, total: number): number {
    return Math.max(0, total - (this.marks.get(thread) ?? 0));
  }

  spend(run: RunAccount, thread: ThreadId, amount: number, day: number): void {
    this.marks.set(thread, (this.marks.get(thread) ?? 0) + amount);
    this.days.set(day, (this.days.get(day) ?? 0) + amount);
    run.tokens += amount;
  }

  /** A person released the issue: its counters start again. What a live run has used so far still counts for it. */
  release(id: IssueId, extraRuns: number, extraTokens: number): void {
    const issue = this.issue(id);
    issue.struck.clear();
    Object.assign(issue, { runs: 0, failures: 0, tokens: 0, extraRuns, extraTokens });
  }

  total(): number {
    return [...this.marks.values()].reduce((sum, mark) => sum + mark, 0);
  }
}
