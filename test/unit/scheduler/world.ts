/**
 * A small world around the scheduler: issues that people move, an agent that may do anything, a tracker that may fail.
 * Each choice is a number, so that a failing walk shrinks to the few choices that matter.
 */
import { failure, type FailureKind } from "../../../src/domain/failure.ts";
import type { Issue } from "../../../src/domain/issue.ts";
import { noTokens, threadId, turnId, type RunId } from "../../../src/domain/run.ts";
import { nextDeadline } from "../../../src/scheduler/decide.ts";
import type { Work } from "../../../src/scheduler/effects.ts";
import type { News } from "../../../src/scheduler/events.ts";
import type { Policy, Running } from "../../../src/scheduler/state.ts";
import { Bench, W, madeIssue, madePolicy, summaryOf } from "./made.ts";

const STATES = ["Todo", "In Progress", "In Review", "Done"] as const;
const FAILURES: readonly FailureKind[] = [
  "port_exit",
  "stalled",
  "usage_limit",
  "turn_timeout",
  "hook_failed",
  "tracker_error",
];

/** Codex is looked at, and may be found wanting. */
const PROGRAM = "p1";

export class World {
  readonly bench: Bench;
  readonly issues: Issue[];
  /** Works that were asked for and not answered yet. */
  #pending: Work[] = [];
  readonly started = new Set<string>();
  /** Agents as they are out there: a run begins with `start` and lives until it says `exited`. */
  readonly alive = new Map<RunId, string>();
  #spent = 0;

  constructor(size: number, policy: Partial<Policy> = {}) {
    this.bench = new Bench(madePolicy({ codexProgram: PROGRAM, ...policy }));
    this.issues = Array.from({ length: size }, (_, n) => madeIssue(`A-${n + 1}`, { priority: n % 4 }));
    this.#collect();
  }

  /** Does one thing, chosen by a number. */
  step(choice: number): void {
    const [kind, rest] = [choice % 8, Math.floor(choice / 8)];
    if (kind === 0) this.#move(rest);
    else if (kind === 1) this.bench.pass(1 + (rest % 40_000));
    else if (kind === 2) this.#agentSays(rest);
    else if (kind === 3 && rest % 7 === 0) this.#reload(rest);
    else if (this.#pending.length > 0) this.#answer(rest % this.#pending.length, rest);
    else this.#ring();
    this.#collect();
  }

  /** Lets everything go well from now on, until nothing changes any more or the bound is reached. */
  calm(steps: number): void {
    this.bench.say({ type: "configured", policy: madePolicy({ codexProgram: PROGRAM }) });
    for (let n = 0; n < steps; n += 1) {
      this.#collect();
      const [work] = this.#pending;
      if (work !== undefined) this.#well(this.#pending.shift() ?? work);
      else if (!this.#finishTurn()) this.#ring();
    }
  }

  #collect(): void {
    for (const type of [
      "poll",
      "revalidate",
      "sweep",
      "examine",
      "remove",
      "start",
      "check",
      "pulse",
      "stop",
      "turn",
    ] as const) {
      for (const work of this.bench.take(type)) {
        this.#pending.push(work);
        if (work.type === "start") this.#born(work.run.id, work.issue.identifier);
      }
    }
  }

  #born(run: RunId, identifier: string): void {
    if ([...this.alive.values()].includes(identifier))
      throw new Error(`a second agent works on ${identifier}`);
    this.alive.set(run, identifier);
    this.started.add(identifier);
  }

  #move(rest: number): void {
    const index = rest % this.issues.length;
    const issue = this.issues[index];
    const state = STATES[Math.floor(rest / this.issues.length) % STATES.length] ?? "Todo";
    const labels = rest % 5 === 0 ? [] : ["baton"];
    if (issue !== undefined) this.issues[index] = { ...issue, state, labels };
  }

  #reload(rest: number): void {
    if (rest % 2 === 0) this.bench.say({ type: "misconfigured", workflow: W, error: "line 1" });
    else
      this.bench.say({
        type: "configured",
        policy: madePolicy({
          codexProgram: PROGRAM,
          agentsMax: 1 + (rest % 4),
          turnsMax: 1 + (rest % 3),
        }),
      });
  }

  #ring(): void {
    const deadline = nextDeadline(this.bench.state, this.bench.now);
    if (deadline !== null) this.bench.pass(deadline - this.bench.now);
  }

  #running(): readonly Running[] {
    return [...this.bench.state.claims.running.values()];
  }

  #agentSays(rest: number): void {
    const running = this.#running();
    const claim = running[rest % Math.max(running.length, 1)];
    if (claim === undefined) return;
    const of = { runId: claim.run.id, issueId: claim.issue.id };
    const thread = threadId(`t-${claim.issue.identifier}`);
    const said = Math.floor(rest / 8) % 6;
    if (said === 0)
      this.bench.say({ ...of, type: "opened", threadId: thread, resumed: rest % 2 === 0, why: null });
    else if (said === 1) this.bench.say({ ...of, type: "turn_started", turnId: turnId(`u-${rest}`) });
    else if (said === 2) this.#endTurn(of, "completed");
    else if (said === 3) this.#endTurn(of, rest % 2 === 0 ? "failed" : "interrupted");
    else if (said === 4) this.#use(of, thread, rest);
    else this.#exit(of.runId, FAILURES[rest % FAILURES.length] ?? null);
  }

  #endTurn(
    of: Pick<Running["run"], "issueId"> & { runId: RunId },
    status: "completed" | "failed" | "interrupted",
  ): void {
    const why = status === "completed" ? null : failure("turn_failed", "no luck");
    this.bench.say({ ...of, type: "turn_ended", turnId: turnId("u"), status, failure: why, message: null });
  }

  #use(of: { runId: RunId; issueId: Issue["id"] }, thread: ReturnType<typeof threadId>, rest: number): void {
    // Reports repeat, and now and then one is smaller than the last.
    this.#spent += rest % 3 === 0 ? 0 : rest % 50_000;
    const total = rest % 11 === 0 ? 0 : this.#spent;
    this.bench.say({ ...of, type: "usage", threadId: thread, total: { ...noTokens, input: total, total } });
  }

  #exit(run: RunId, kind: FailureKind | null): void {
    const claim = this.#running().find((one) => one.run.id === run);
    this.alive.delete(run);
    if (claim === undefined) return;
    const why = kind === null ? null : failure(kind, kind);
    this.bench.say({ runId: run, issueId: claim.issue.id, type: "exited", failure: why, changed: null });
  }

  #answer(index: number, rest: number): void {
    const [work] = this.#pending.splice(index, 1);
    if (work === undefined) return;
    if (rest % 5 === 0) this.#badly(work);
    else this.#well(work);
  }

  #well(work: Work): void {
    const of = (ids: readonly string[]): readonly Issue[] =>
      this.issues.filter((issue) => ids.some((id) => id === issue.id));
    switch (work.type) {
      case "poll": {
        const { workflow, running } = work;
        const candidates = this.issues.filter(
          (i) => i.labels.includes("baton") && (i.state === "Todo" || i.state === "In Progress"),
        );
        const left = running.filter((id) => candidates.every((issue) => issue.id !== id));
        if (left.length > 0) this.bench.say({ type: "refreshed", workflow, ids: left, statuses: of(left) });
        this.bench.say({ type: "polled", workflow, candidates: candidates.map(summaryOf), tookMs: 5 });
        return;
      }
      case "revalidate":
        return void this.bench.say({
          type: "revalidated",
          workflow: work.workflow,
          ids: work.ids,
          issues: of(work.ids),
        });
      case "check":
        return void this.bench.say({
          runId: work.runId,
          issueId: work.issueId,
          type: "checked",
          status: of([work.issueId])[0] ?? null,
        });
      case "examine":
        return this.#examined(work, null);
      case "pulse": {
        const claim = this.#running().find((one) => one.run.id === work.runId);
        if (claim !== undefined)
          this.bench.say({
            runId: work.runId,
            issueId: claim.issue.id,
            type: "pulse",
            signAt: this.bench.now,
            openCommands: 0,
            openCalls: 0,
          });
        return;
      }
      case "stop":
        return this.#exit(work.runId, null);
      case "start":
      case "turn":
      case "steer":
      case "sweep":
      case "remove":
      case "exit":
    }
  }

  #examined(
    { workflow, program }: Extract<Work, { type: "examine" }>,
    lacks: Extract<News, { type: "examined" }>["lacks"],
  ): void {
    this.bench.say({ type: "examined", workflow, program, lacks, again: true });
  }

  #badly(work: Work): void {
    if (work.type === "examine") {
      this.#examined(work, { why: "it lacks x", remedy: "install another" });
    } else if (work.type === "poll") {
      this.bench.say({
        type: "poll_failed",
        workflow: W,
        kind: "tracker_status",
        error: "500",
        retryAt: null,
      });
    } else if (work.type === "revalidate") {
      this.bench.say({
        type: "revalidation_failed",
        workflow: W,
        kind: "tracker_status",
        error: "500",
        retryAt: null,
      });
    } else if (work.type === "check") {
      this.bench.say({
        runId: work.runId,
        issueId: work.issueId,
        type: "check_failed",
        failure: failure("tracker_error", "500"),
      });
    } else this.#well(work);
  }

  /** In calm weather every agent opens its thread, takes a turn, and closes its ticket. */
  #finishTurn(): boolean {
    const claim = this.#running().find((one) => one.step !== "ending" && one.step !== "checking");
    if (claim === undefined) return false;
    const of = { runId: claim.run.id, issueId: claim.issue.id };
    if (claim.step === "starting") {
      this.bench.say({
        ...of,
        type: "opened",
        threadId: threadId(`t-${claim.issue.identifier}`),
        resumed: false,
        why: null,
      });
      this.bench.say({ ...of, type: "turn_started", turnId: turnId("u") });
    }
    const index = this.issues.findIndex((issue) => issue.id === claim.issue.id);
    const issue = this.issues[index];
    if (issue !== undefined) this.issues[index] = { ...issue, state: "Done" };
    this.#endTurn(of, "completed");
    return true;
  }
}
