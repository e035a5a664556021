/**
 * One life of the daemon: the real recovery, loop, order desk and `decide`, with simulated runners. It can be killed in
 * the commit of a step, before or after it is written, between two pieces of work, and at any moment.
 */
import { LedgerError } from "../../src/ledger/ledger-error.ts";
import { Loop } from "../../src/daemon/loop.ts";
import { OrderDesk } from "../../src/daemon/order-desk.ts";
import { recover } from "../../src/daemon/recover.ts";
import type { Fact } from "../../src/domain/fact.ts";
import type { Instant } from "../../src/domain/time.ts";
import type { RunId, WorkflowName } from "../../src/domain/run.ts";
import { describe } from "../../src/facts/describe.ts";
import type { MemoryLedger } from "../../src/ledger/memory.ts";
import type { LedgerRecord, Work } from "../../src/scheduler/effects.ts";
import type { Event, News, RunEvent } from "../../src/scheduler/events.ts";
import type { Policy, State } from "../../src/scheduler/state.ts";
import type { mayRemove } from "../../src/scheduler/begin.ts";
import type { decide } from "../../src/scheduler/decide.ts";
import { AgentProcess } from "./agents.ts";
import type { Checks, Step } from "./checks.ts";
import { COMMIT_MAX_MS } from "./faults.ts";
import type { Counted } from "./figures.ts";
import { delivery } from "./delivery.ts";
import { type Ground, strikes } from "./ground.ts";
import type { SimClock } from "./timeline.ts";
import { SimRemovals } from "./removals.ts";
import { SimTracker, type TrackerParts } from "./tracker.ts";
import { done, heard, written } from "./words.ts";

/** The process is killed here. */
export class Killed extends Error {}

/** How a daemon came to its end. `error`: what it threw; null = it was asked to end, or was killed from outside. */
export interface End {
  readonly words: string;
  readonly error: unknown;
  readonly counts: Counted | null;
}

export interface DaemonParts {
  readonly ground: Ground;
  readonly ledger: MemoryLedger;
  readonly checks: Checks;
  readonly decide: typeof decide;
  readonly mayRemove: typeof mayRemove;
  readonly policies: ReadonlyMap<WorkflowName, Policy>;
  readonly outageUntil: TrackerParts["outageUntil"];
  readonly workspaces: Set<string>;
  /** Every piece of news of a run, to be heard again some day. */
  readonly overheard: (news: RunEvent) => void;
  readonly onEnd: (end: End) => void;
}

export class SimDaemon {
  readonly #parts: DaemonParts;
  readonly #clock: SimClock;
  readonly #loop: Loop;
  readonly #tracker: SimTracker;
  readonly #agents = new Map<RunId, AgentProcess>();
  readonly #desk: OrderDesk;
  readonly #removals: SimRemovals;
  #decided: State;
  /** As of the last commit: what is decided since goes with the process, and what needs no commit is in no ledger. */
  #kept: State;
  /** Decided since then, in order. */
  #unwritten: Step[] = [];
  #alive = true;
  #doing: Event["type"] | "recovery" = "recovery";

  /** Recovers. @throws Killed, LedgerError when it does not come so far. */
  constructor(
    parts: DaemonParts,
    afterRecovery: (state: State, at: Instant, records: readonly LedgerRecord[]) => void,
  ) {
    this.#parts = parts;
    const { ground, ledger, checks } = parts;
    this.#clock = ground.timeline.clock();
    for (const agent of ground.agents) agent.kill();
    const { state, records } = recover(ledger.load(), this.#clock.now(), new Set(parts.policies.keys()));
    checks.step = null;
    this.#maybeKilled("crashBeforeCommit");
    ledger.commit(records, []);
    afterRecovery(state, this.#clock.now(), records);
    this.#maybeKilled("crashAfterCommit");
    this.#decided = state;
    this.#kept = state;
    this.#loop = new Loop({
      state,
      clock: this.#clock,
      decide: (before, event) => this.#decide(before, event),
      commit: (entries, facts) => this.#commit(entries, facts),
      publish: (fact) => this.#publish(fact),
      tell: (fact) => this.#publish(fact),
      run: (work) => this.#run(work),
      onFatal: (error) => this.#died(error),
    });
    this.#removals = this.#removalsOf(parts);
    this.#desk = new OrderDesk(ledger, (news) => this.dispatch(news));
    this.#tracker = new SimTracker({
      ground,
      clock: () => this.#clock.now(),
      policyOf: (name) => this.#policyOf(name),
      say: (news) => this.dispatch(news),
      outageUntil: parts.outageUntil,
      hasWorkspace: (id) => parts.workspaces.has(id),
    });
  }

  #removalsOf({ ground, checks, workspaces, mayRemove }: DaemonParts): SimRemovals {
    return new SimRemovals({
      ground,
      mayRemove: (issue) => mayRemove(this.#loop.state, issue),
      isAlive: () => this.#alive,
      begins: (work) => checks.removing(work),
      gone: (issue) => {
        // Who takes the issue up meanwhile waits for this, and then makes a directory of its own.
        if (![...this.#agents.values()].some((agent) => agent.issue.id === issue)) workspaces.delete(issue);
      },
    });
  }

  get kept(): State {
    return this.#kept;
  }

  /** What time it believes it is. */
  get now(): Instant {
    return this.#clock.now();
  }

  start(): void {
    for (const policy of this.#parts.policies.values()) this.dispatch({ type: "configured", policy });
    this.look();
    this.dispatch({ type: "began" });
  }

  dispatch(news: News): void {
    if (!this.#alive) return;
    this.#loop.dispatch(news);
  }

  /** Looks once for orders. */
  look(): void {
    if (!this.#alive) return;
    this.#desk.start();
    this.#desk.stop();
  }

  /** kill -9. */
  kill(words: string): void {
    this.#over({ words, error: null, counts: "killedAtAnyMoment" });
  }

  #decide(before: State, event: Event): ReturnType<typeof decide> {
    // What still waits in the loop when the process ends goes with it.
    if (!this.#alive) throw new Killed("it is gone");
    this.#doing = event.type;
    if (event.type !== "woke") this.#tell(event, () => heard(event));
    const decision = this.#parts.decide(before, event);
    const { state: after, records, work } = decision;
    const step = { before, event, after, records, work, trueAt: this.#parts.ground.timeline.true };
    this.#decided = after;
    this.#unwritten.push(step);
    this.#parts.checks.decided(step);
    return decision;
  }

  #commit(records: readonly LedgerRecord[], facts: readonly Fact[]): void {
    const kept = facts.filter((fact) => fact.type !== "polled");
    if (records.length + kept.length === 0) return;
    const { checks, ledger, ground } = this.#parts;
    try {
      this.#maybeKilled("crashBeforeCommit");
      if (strikes(ground, ground.faults().slowCommit, "slowCommits"))
        ground.timeline.busy(ground.random.spread(1, COMMIT_MAX_MS));
      ledger.commit(records, kept);
    } catch (error) {
      const again = error instanceof LedgerError && error.mayPass;
      if (again) ground.figures.add("stepsTriedAgain", this.#unwritten.splice(0).length);
      checks.lost(again);
      throw error;
    }
    this.#kept = this.#decided;
    if (records.length > 0) this.#tell(null, () => written(records));
    ground.figures.add("commits");
    checks.committed(this.#unwritten.splice(0));
    this.#maybeKilled("crashAfterCommit");
  }

  #publish(fact: Fact): void {
    const { identifier, runId, workflow, issueId } = fact;
    const kind = fact.type === "polled" || fact.type === "usage" ? "gear" : "deed";
    const who = identifier ?? workflow ?? "Baton";
    const run = runId === undefined ? "" : `[${runId}] `;
    this.#parts.ground.tell(kind, who, () => run + describe(fact).message, issueId ?? null);
  }

  #run(work: Work): void {
    if (!this.#alive) return;
    this.#maybeKilled("crashBetween");
    this.#parts.checks.doing(work);
    this.#tell(work, () => done(work));
    switch (work.type) {
      case "poll":
        return this.#tracker.poll(work);
      case "revalidate":
        return this.#tracker.revalidate(work);
      case "sweep":
        return this.#tracker.sweep(work);
      case "examine":
        // Its policies ask for no look: nothing in here has a version.
        return;
      case "check":
        return this.#tracker.check(work);
      case "remove":
        return this.#removals.ask(work);
      case "start":
        return this.#start(work);
      case "turn":
        return this.#agents.get(work.runId)?.turn();
      case "steer":
        return this.#agents.get(work.runId)?.steer();
      case "pulse":
        return this.#agents.get(work.runId)?.pulse();
      case "stop":
        return this.#agents.get(work.runId)?.stop(work.why, work.survey);
      case "exit":
        return this.#over(work.clean ? IN_PEACE : WITHOUT_PATIENCE);
    }
  }

  #start(work: Extract<Work, { type: "start" }>): void {
    const { ground, workspaces, overheard, ledger } = this.#parts;
    workspaces.add(work.issue.id);
    const deliver = delivery(ground, (news) => this.dispatch(news));
    const report = (told: RunEvent): void => {
      if (told.type === "exited") this.#agents.delete(told.runId);
      const news = told.type === "usage" ? { ...told, known: ledger.mark(told.threadId) } : told;
      overheard(news);
      deliver(news);
    };
    const waitMs = this.#removals.leftMs(work.issue.id);
    const agent = new AgentProcess(work, ground, () => this.#clock.now(), report, waitMs);
    this.#agents.set(work.run.id, agent);
  }

  #policyOf(name: WorkflowName): Policy {
    const policy = this.#parts.policies.get(name);
    if (policy === undefined) throw new Error(`no workflow is called ${name}`);
    return policy;
  }

  #maybeKilled(where: keyof typeof WHERE): void {
    const { random, faults, figures } = this.#parts.ground;
    // A start has only these two moments.
    const often = this.#doing === "recovery" ? 10 : 1;
    if (!random.chance(faults()[where] * often)) return;
    const [what, words] = WHERE[where];
    figures.add(this.#doing === "recovery" ? "killedInRecovery" : what);
    figures.killedIn.add(`${this.#doing}, ${words}`);
    throw new Killed(`it is killed ${words}`);
  }

  #died(error: unknown): void {
    if (error instanceof Killed) return this.#over({ words: error.message, error, counts: null });
    const words = `it stops, because it is not safe to go on: ${error instanceof Error ? error.message : String(error)}`;
    this.#over({ words, error, counts: error instanceof LedgerError ? "stoppedByDisk" : null });
  }

  #over(end: End): void {
    if (!this.#alive) return;
    this.#alive = false;
    const lost = this.#unwritten.filter(({ records }) => records.length > 0);
    this.#parts.ground.figures.add("stepsLost", lost.length);
    this.#loop.abandon();
    this.#clock.kill();
    this.#parts.onEnd(end);
  }

  #tell(about: Event | Work | null, words: () => string): void {
    const id = about !== null && "issueId" in about ? about.issueId : null;
    const who = about !== null && "workflow" in about ? about.workflow : "Baton";
    const run = about !== null && "runId" in about ? `[${about.runId}] ` : "";
    this.#parts.ground.tell("gear", who, () => run + words(), id);
  }
}

const WHERE = {
  crashBeforeCommit: ["killedBeforeCommit", "before a step is written down"],
  crashAfterCommit: ["killedAfterCommit", "after a step is written down"],
  crashBetween: ["killedBetweenEffects", "between two pieces of a step's work"],
} as const;

const IN_PEACE: End = { words: "it ends as it was asked to", error: null, counts: "stoppedInPeace" };
const WITHOUT_PATIENCE: End = {
  words: "it ends without patience",
  error: null,
  counts: "stoppedWithoutPatience",
};
