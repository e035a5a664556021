/**
 * The whole ledger in memory, for tests and simulation: same answers, same refusals, same all-or-nothing commits; no
 * file. What it holds outlives `close`, so that a test can "restart" on it.
 */
import { LedgerError } from "./ledger-error.ts";
import {
  DAY_MS,
  type Fact,
  highWater,
  type Instant,
  type Issue,
  issueId,
  type IssueId,
  noTokens,
  type Order,
  type PauseScope,
  runId,
  type RunId,
  spentSince,
  type ThreadId,
  type Tokens,
  type WaitingOrder,
  type WorkflowName,
} from "../domain/domain.ts";
import { randomUUID } from "node:crypto";
import type { Claim, Hold, LedgerRecord, Pause, Refusal, Tally } from "../scheduler/scheduler.ts";
import type {
  IssueRow,
  Ledger,
  RunFilter,
  RunRow,
  Saved,
  Tidied,
  TimelineRow,
  ToldRow,
  WorkflowText,
} from "./port.ts";
import { Journal } from "./memory-journal.ts";
import { PREFIX_MIN } from "./reader.ts";

export interface MemoryOptions {
  /** Asked before every commit: an error to fail it with (a full disk, say), or null. */
  readonly trouble?: () => LedgerError | null;
}

interface MemoryRun extends RunRow {
  readonly pid: number | null;
  readonly startTicks: number | null;
  readonly bootId: string | null;
}

interface SeenIssue {
  readonly issueId: IssueId;
  readonly identifier: string;
  readonly at: Instant | null;
  readonly title: string | null;
  readonly state: string | null;
  readonly url: string | null;
}

export class MemoryLedger implements Ledger {
  readonly #installation = randomUUID();
  readonly #holds = new Map<WorkflowName, Hold>();
  readonly #pauses = new Map<PauseScope, Pause>();
  readonly #refusals = new Map<WorkflowName, ReadonlyMap<IssueId, Refusal>>();
  readonly #orders = new Map<number, Order>();
  /** Tokens by UTC day. */
  readonly #spent = new Map<number, number>();
  #lastOrder = 0;
  readonly #trouble: () => LedgerError | null;
  readonly #journal = new Journal();
  readonly #claims = new Map<IssueId, Claim>();
  readonly #tallies = new Map<IssueId, Tally>();
  readonly #issues = new Map<IssueId, SeenIssue>();
  readonly #runs = new Map<RunId, MemoryRun>();
  /** The open run of each issue that has one. */
  readonly #open = new Map<IssueId, RunId>();
  readonly #marks = new Map<ThreadId, Tokens>();
  readonly #told = new Map<RunId, readonly ToldRow[]>();
  readonly #facts: Fact[] = [];
  /** Texts by hash. */
  readonly workflows = new Map<string, string>();
  readonly #workflowPaths = new Map<string, string>();

  constructor({ trouble = () => null }: MemoryOptions = {}) {
    this.#trouble = trouble;
  }

  commit(records: readonly LedgerRecord[], facts: readonly Fact[]): void {
    const trouble = this.#trouble();
    if (trouble !== null) throw trouble;
    this.#journal.allOrNothing(() => {
      for (const record of records) this.#write(record);
    });
    this.#facts.push(...facts);
  }

  orders(): readonly WaitingOrder[] {
    return [...this.#orders].map(([id, order]) => ({ id, order }));
  }

  /** Gives an order, as a command line does by way of the file. */
  giveOrder(order: Order): number {
    this.#lastOrder += 1;
    this.#orders.set(this.#lastOrder, order);
    return this.#lastOrder;
  }

  append(fact: Fact): void {
    this.#facts.push(fact);
  }

  flush(): void {}

  prune(before: Instant, rowsMax: number): number {
    const old = this.#facts.filter(({ at }) => at < before).sort((a, b) => a.at - b.at);
    const gone = new Set(old.slice(0, rowsMax));
    this.#facts.splice(0, this.#facts.length, ...this.#facts.filter((fact) => !gone.has(fact)));
    return gone.size;
  }

  look(): null {
    return null;
  }

  tidy(): Tidied {
    return { logBytes: 0 };
  }

  close(): void {}

  keepWorkflow(hash: string, path: string, text: string, _at: Instant): void {
    if (this.workflows.has(hash)) return;
    this.workflows.set(hash, text);
    this.#workflowPaths.set(hash, path);
  }

  workflowText(path: string, hash: string | null): WorkflowText | null {
    const ofPath = [...this.#workflowPaths].findLast(([, of]) => of === path)?.[0];
    const found = hash !== null && this.workflows.has(hash) ? hash : ofPath;
    const text = found === undefined ? undefined : this.workflows.get(found);
    return found === undefined || text === undefined ? null : { hash: found, text };
  }

  installation(): string {
    return this.#installation;
  }

  load(): Saved {
    const open = [...this.#open.values()].map((id) => this.#known(id));
    const numbers = [...this.#runs.keys()].map((id) => Number(/^r(\d+)/.exec(id)?.[1] ?? 0));
    return {
      claims: [...this.#claims.values()],
      tallies: new Map(this.#tallies),
      installation: this.#installation,
      runsEver: numbers.reduce((highest, number) => Math.max(highest, number), 0),
      holds: new Map(this.#holds),
      pauses: new Map(this.#pauses),
      refusals: new Map(this.#refusals),
      spent: [...this.#spent].map(([day, tokens]) => ({ day, tokens })).sort((a, b) => b.day - a.day)[0] ?? {
        day: 0,
        tokens: 0,
      },
      open: open.map((run) => ({
        runId: run.id,
        issueId: run.issueId,
        identifier: run.identifier,
        workflow: run.workflow,
        startedAt: run.startedAt,
        pid: run.pid,
        startTicks: run.startTicks,
        bootId: run.bootId,
        workspace: run.workspace,
        thread: run.thread,
        turns: run.turns,
        tokens: run.tokens,
        threadTotal: this.mark(run.thread),
      })),
    };
  }

  runs({ issue, workflow, outcome, limit }: RunFilter): readonly RunRow[] {
    return [...this.#runs.values()]
      .reverse()
      .filter((run) => issue === undefined || this.#isOf(run, issue))
      .filter((run) => workflow === undefined || run.workflow === workflow)
      .filter((run) => outcome === undefined || (run.ending?.outcome ?? "running") === outcome)
      .sort((a, b) => b.startedAt - a.startedAt)
      .slice(0, limit)
      .map(rowOf);
  }

  run(id: string): RunRow | null {
    const whole = this.#runs.get(runId(id));
    if (whole !== undefined) return rowOf(whole);
    if (id.length < PREFIX_MIN) return null;
    const fitting = [...this.#runs.values()].filter((run) => run.id.startsWith(id));
    return fitting.length === 1 ? (fitting.map(rowOf)[0] ?? null) : null;
  }

  timeline(runIds: readonly RunId[], limit: number): readonly TimelineRow[] {
    const wanted = new Set(runIds);
    return this.#facts
      .filter((fact) => fact.runId !== undefined && wanted.has(fact.runId))
      .slice(-limit)
      .map((fact) => ({ at: fact.at, runId: fact.runId ?? null, fact }));
  }

  told(run: RunId): readonly ToldRow[] {
    return this.#told.get(run) ?? [];
  }

  besides(issue: IssueId, limit: number): readonly TimelineRow[] {
    return this.#facts
      .filter((fact) => fact.runId === undefined && fact.issueId === issue)
      .slice(-limit)
      .map((fact) => ({ at: fact.at, runId: null, fact }));
  }

  lately(since: Instant, limit: number): readonly TimelineRow[] {
    return this.#facts
      .filter((fact) => fact.runId === undefined && fact.at >= since)
      .sort((a, b) => a.at - b.at)
      .slice(-limit)
      .map((fact) => ({ at: fact.at, runId: null, fact }));
  }

  mark(thread: ThreadId | null): Tokens {
    return (thread === null ? undefined : this.#marks.get(thread)) ?? noTokens;
  }

  issue(identifierOrId: string): IssueRow | null {
    const found =
      this.#issues.get(issueId(identifierOrId)) ??
      [...this.#issues.values()]
        .filter(({ identifier }) => same(identifier, identifierOrId))
        .sort((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];
    if (found === undefined) return null;
    const claim = this.#claims.get(found.issueId) ?? null;
    const tally = this.#tallies.get(found.issueId) ?? null;
    const { at: _at, ...seen } = found;
    return { ...seen, claim, tally };
  }

  #write(record: LedgerRecord): void {
    const journal = this.#journal;
    switch (record.type) {
      case "claim": {
        const { id, identifier } = record.claim.issue;
        this.#see(id, identifier, record.at, record.claim.issue);
        return journal.set(this.#claims, id, record.claim);
      }
      case "unclaim":
        this.#left(record.issueId, record.state);
        return journal.delete(this.#claims, record.issueId);
      case "tally":
        this.#see(record.issueId, record.identifier, null);
        return journal.set(this.#tallies, record.issueId, record.tally);
      case "run_started":
        this.#see(record.run.issueId, record.run.identifier, record.run.startedAt, record.issue);
        return this.#start(record);
      case "run_launched": {
        const { pid, startTicks, bootId, workspace } = record;
        return this.#change(record.runId, { pid, startTicks, bootId, workspace });
      }
      case "thread_opened":
        return this.#change(record.runId, { thread: record.threadId });
      case "turn_started":
        this.#tell(record);
        return this.#change(record.runId, {
          turns: Math.max(this.#known(record.runId).turns, record.number),
        });
      case "turn_ended":
        return void this.#known(record.runId);
      case "hold":
        if (record.hold === null) return journal.delete(this.#holds, record.workflow);
        return journal.set(this.#holds, record.workflow, record.hold);
      case "pause":
        if (record.pause === null) return journal.delete(this.#pauses, record.scope);
        return journal.set(this.#pauses, record.scope, record.pause);
      case "refusals":
        if (record.refusals.size === 0) return journal.delete(this.#refusals, record.workflow);
        return journal.set(this.#refusals, record.workflow, record.refusals);
      case "order_done":
        return journal.delete(this.#orders, record.number);
      case "usage":
        this.#spend(record);
        journal.set(this.#marks, record.threadId, highWater(this.mark(record.threadId), record.total));
        return this.#change(record.runId, {
          tokens: highWater(this.#known(record.runId).tokens, record.run),
        });
      case "run_ended": {
        const { turns, tokens, issueId } = this.#known(record.runId);
        if (this.#open.get(issueId) === record.runId) journal.delete(this.#open, issueId);
        return this.#change(record.runId, {
          ending: { outcome: record.ending.outcome, failure: record.ending.failure },
          endedAt: record.at,
          turns: Math.max(turns, record.turns),
          tokens: highWater(tokens, record.tokens),
        });
      }
      default:
        // A kind of record without a case would be lost without a word.
        return record satisfies never;
    }
  }

  #tell({ runId, number: turn, at, text }: Extract<LedgerRecord, { type: "turn_started" }>): void {
    const before = this.#told.get(runId) ?? [];
    if (this.#known(runId).ending !== null || before.some((row) => row.turn === turn)) return;
    this.#journal.set(this.#told, runId, [...before, { turn, at, text: text ?? null }]);
  }

  #spend({ threadId, total, at }: Extract<LedgerRecord, { type: "usage" }>): void {
    const day = Math.floor(at / DAY_MS);
    const spent = spentSince(total, this.mark(threadId)).total;
    this.#journal.set(this.#spent, day, (this.#spent.get(day) ?? 0) + spent);
  }

  #start({ run, issue, workflowHash }: Extract<LedgerRecord, { type: "run_started" }>): void {
    if (this.#runs.has(run.id)) return;
    const open = this.#open.get(run.issueId);
    if (open !== undefined) throw refused(`${run.identifier} has an open run already, ${open}`);
    this.#journal.set(this.#runs, run.id, {
      ...run,
      title: issue.title,
      workflowHash,
      ending: null,
      endedAt: null,
      turns: 0,
      tokens: noTokens,
      thread: null,
      workspace: null,
      pid: null,
      startTicks: null,
      bootId: null,
    });
    this.#journal.set(this.#open, run.issueId, run.id);
  }

  #change(id: RunId, change: Partial<MemoryRun>): void {
    const run = this.#known(id);
    if (run.ending === null) this.#journal.set(this.#runs, id, { ...run, ...change });
  }

  #known(id: RunId): MemoryRun {
    const run = this.#runs.get(id);
    if (run === undefined) throw refused(`a record names run ${id}, which is not in the ledger`);
    return run;
  }

  #see(issueId: IssueId, identifier: string, at: Instant | null, issue?: Issue): void {
    const before = this.#issues.get(issueId);
    this.#journal.set(this.#issues, issueId, {
      issueId,
      identifier,
      at: at ?? before?.at ?? null,
      title: issue?.title ?? before?.title ?? null,
      state: issue?.state ?? before?.state ?? null,
      url: issue?.url ?? before?.url ?? null,
    });
  }

  #left(id: IssueId, state: string | undefined): void {
    const before = this.#issues.get(id);
    if (before !== undefined && state !== undefined)
      this.#journal.set(this.#issues, id, { ...before, state });
  }

  #isOf(run: MemoryRun, issue: string): boolean {
    const now = this.#issues.get(run.issueId)?.identifier ?? run.identifier;
    return run.issueId === issue || same(run.identifier, issue) || same(now, issue);
  }
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const rowOf = ({ pid: _pid, startTicks: _startTicks, bootId: _bootId, ...row }: MemoryRun): RunRow => row;

const refused = (message: string): LedgerError =>
  new LedgerError("inconsistent", ":memory:", message, "this is a fault in baton: nothing was written");
