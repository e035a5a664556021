/** Composition root: builds everything, starts in order, stops in reverse. Knows every part and decides nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../agent/agent.ts";
import type { Fact, Instant, Workflow, WorkflowName, WorkspaceSettings } from "../domain/domain.ts";
import type { Facts } from "../facts/facts.ts";
import {
  type Heartbeat,
  lastSignOf,
  type Ledger,
  LedgerError,
  type OpenRun,
  type Saved,
} from "../ledger/ledger.ts";
import type { Tracker, TrackerNews } from "../tracker/tracker.ts";
import type { WorkflowFile } from "../workflow/workflow.ts";
import type { RepositoryWork, Workspaces } from "../workspace/workspace.ts";
import type { Clock } from "./clock.ts";
import type { FitOf } from "./chores/chores.ts";
import type { Failpoint } from "./failpoints.ts";
import { type LedgerRecord, mayRemove } from "../scheduler/scheduler.ts";
import { doneBefore } from "./hand-over.ts";
import { Loop, RETRY_MS, stuckWords } from "./loop.ts";
import { OrderDesk } from "./order-desk.ts";
import { type Lost, recover } from "./recover.ts";
import { Roots } from "./roots.ts";
import { Runners } from "./runners.ts";
import { trackersFor } from "./trackers.ts";
import { unsettledCalls } from "./unsettled.ts";
import { lastScans } from "./beat.ts";
import { endSurvivors } from "./survivors.ts";
import { within } from "../processes/processes.ts";
import { Workflows } from "./workflows.ts";

export interface DaemonParts {
  readonly version: string;
  /** Loaded once already; a daemon does not start on a broken file. */
  readonly files: readonly WorkflowFile[];
  readonly warnings: ReadonlyMap<WorkflowName, readonly string[]>;
  readonly clock: Clock;
  /** Takes out secrets by itself before it writes. */
  readonly ledger: Ledger;
  readonly facts: Facts;
  /** Called before a loaded text comes into force: its secrets must be known before anything can say them. */
  readonly onLoaded: (workflow: Workflow) => void;
  readonly makeTracker: (workflow: Workflow, news: TrackerNews) => Tracker;
  readonly agent: Agent;
  readonly workspaces: Workspaces;
  /** Identifies the state of a workspace, to see whether a run changed anything; null when it cannot be told. */
  readonly survey: (path: string) => Promise<string | null>;
  /** What git says of the work in a workspace, for whoever takes it over; null when it cannot be told. */
  readonly work: (path: string) => Promise<readonly RepositoryWork[] | null>;
  /** Why the disk takes no more work, in words; null = it does. */
  readonly diskLow: (settings: WorkspaceSettings) => Promise<string | null>;
  /** Whether the Codex that these settings start has what is needed; absent = nobody looks. Never rejects. */
  readonly fit?: FitOf | undefined;
  /** Removes what has been kept for long enough; called with every sweep. */
  readonly tidy: () => Promise<void>;
  /** What the daemon before this one left behind beside the ledger, if it did not end well. */
  readonly lastHeartbeat?: Heartbeat | null;
  /** A test may end the process at the named moments. */
  readonly failpoint?: Failpoint | undefined;
}

/**
 * How the daemon came to its end. `clean`: every run that it began has its end in the ledger, whether it was waited for or not.
 * `forced`: patience was over, and a run was left for the next start to settle. `fatal`: going on was not safe.
 */
export type Stopped =
  | { readonly how: "clean" | "forced" }
  | {
      readonly how: "fatal";
      readonly error: unknown;
      /** Somebody had asked it to stop before. */
      readonly isAsked?: true;
    };

/** Facts that tell how things are rather than what happened: said and counted, but not kept in the ledger. */
const PASSING: ReadonlySet<Fact["type"]> = new Set(["polled", "scan_changed", "tracker_rates"]);

/** Of processes that must go now: codex needs 60 ms after SIGTERM. */
const LAST_PATIENCE = { termMs: 2_000, killMs: 1_000 };
/** When their processes are gone, runs have this long for their last hook and their last record. */
const SETTLE_MS = 2_000;
/** That hook has to go too. */
const NO_PATIENCE = { termMs: 0, killMs: 1_000 };

export class Daemon {
  readonly stopped: Promise<Stopped>;
  readonly #parts: DaemonParts;
  readonly #saved: Saved;
  /** What recovery has found out, to be committed before anything starts. */
  readonly #recovered: readonly LedgerRecord[];
  /** The issues whose runs the end of the last process has cut short. */
  readonly #lost: readonly Lost[];
  readonly #loop: Loop;
  readonly #workflows: Workflows;
  readonly #runners: Runners;
  readonly #orders: OrderDesk;
  readonly #startedAt: number;
  readonly #resolve: (how: Stopped) => void;
  #stopAsked = false;
  /** Why what recovery found out could not be written yet. */
  #startStuck: string | null = null;
  #ended = false;

  /** Recovers the state from the ledger; nothing runs before `start`. */
  constructor(parts: DaemonParts) {
    const { promise, resolve } = Promise.withResolvers<Stopped>();
    this.stopped = promise;
    this.#resolve = resolve;
    this.#parts = parts;
    const { clock, ledger, facts } = parts;
    this.#startedAt = clock.now();
    const saved = ledger.load();
    this.#saved = saved;
    const names = new Set(parts.files.map((file) => file.current().settings.name));
    const now = clock.now();
    const lastSign = ({ runId: id, startedAt }: OpenRun): Instant =>
      lastSignOf({ id, startedAt }, ledger, parts.lastHeartbeat ?? null, now);
    const { state, records, lost } = recover(saved, now, names, lastSign);
    this.#recovered = records;
    this.#lost = lost;
    const publish = (fact: Fact): void => this.#publish(fact);
    const dispatch = (news: Parameters<Loop["dispatch"]>[0]): void => this.#loop.dispatch(news);
    this.#loop = new Loop({
      state,
      clock,
      commit: (entries, said) => {
        const kept = said.filter((fact) => !PASSING.has(fact.type));
        if (entries.length + kept.length > 0) ledger.commit(entries, kept);
      },
      publish: (fact) => facts.publish(fact),
      tell: (fact) => {
        if (!PASSING.has(fact.type)) ledger.append(fact);
        facts.publish(fact);
      },
      run: (work) => this.#runners.run(work),
      onFatal: (error) => void this.#end({ how: "fatal", error }),
      failpoint: parts.failpoint,
    });
    this.#workflows = new Workflows(parts.files, {
      clock,
      ledger,
      publish,
      dispatch,
      onLoaded: parts.onLoaded,
    });
    this.#orders = new OrderDesk(ledger, dispatch);
    this.#runners = new Runners({
      workflows: this.#workflows,
      trackerFor: trackersFor(parts.makeTracker, clock, publish),
      agent: parts.agent,
      workspaces: parts.workspaces,
      survey: parts.survey,
      work: parts.work,
      diskLow: parts.diskLow,
      fit: parts.fit,
      tidy: parts.tidy,
      roots: new Roots((filter) => ledger.runs(filter)),
      mayRemove: (issue) => mayRemove(this.#loop.state, issue),
      installation: saved.installation,
      clock,
      publish,
      record: (fact) => this.#record(fact),
      markOf: (thread) => ledger.mark(thread),
      unsettled: (issue, run) => unsettledCalls(ledger, issue, run),
      done: (issue, run) => doneBefore(ledger, issue, run),
      dispatch,
      onExit: (clean) => void this.#end({ how: clean ? "clean" : "forced" }),
      failpoint: parts.failpoint,
    });
  }

  /** Begins to work: settings first, then the polls. Asked to stop before that, it does not begin. */
  async start(): Promise<void> {
    const { version, clock, failpoint } = this.#parts;
    const workflows = this.#workflows.all().map((workflow) => workflow.settings.name);
    await this.#endSurvivors();
    failpoint?.("start: survivors ended");
    if (this.#ended || !(await this.#commitRecovered())) return;
    failpoint?.("start: recovery committed");
    this.#publish({ type: "daemon_started", version, pid: process.pid, workflows, at: clock.now() });
    this.#sayLost();
    const watching = this.#workflows.start(this.#parts.warnings);
    this.#orders.start();
    this.#loop.dispatch({ type: "began" });
    failpoint?.("start: first polls begun");
    await watching;
  }

  /** The first request drains, the second does not wait. May be called from a signal handler: it only enqueues. */
  requestStop(why: string): void {
    const force = this.#stopAsked;
    this.#stopAsked = true;
    // Nothing has begun: what recovery found out is found out by the next start as well.
    if (this.#startStuck !== null) return void this.#end({ how: "clean" });
    this.#loop.dispatch({ type: "stop_requested", why, force });
  }

  /**
   * An error that nobody caught: what is true is no longer known. Nothing more is decided; agents are ended, and their runs
   * are left to the next start.
   */
  fail(error: unknown): void {
    this.#loop.die(error);
  }

  /** What the scheduler knows now; for tests and read-only views. */
  get state(): Loop["state"] {
    return this.#loop.state;
  }

  /** Why the ledger takes no records just now; null = it does. */
  get stuck(): string | null {
    return this.#loop.stuck ?? this.#startStuck;
  }

  /** What the agents do just now, by run; for read-only views. */
  get underWay(): ReturnType<Runners["underWay"]> {
    return this.#runners.underWay();
  }

  /** Before the first start, and before anything is asked of the tracker: nobody may work on an issue twice. */
  async #endSurvivors(): Promise<void> {
    const { installation, open } = this.#saved;
    const { ended, left } = await endSurvivors(installation, open);
    const at = this.#parts.clock.now();
    if (ended > 0) this.#publish({ type: "survivors_ended", processes: ended, runs: this.#lost.length, at });
    if (left.length > 0) this.#publish({ type: "warning", message: leftBehind(left), at });
  }

  #sayLost(): void {
    const runs = this.#lost.length;
    if (runs === 0) return;
    const issues = this.#lost.filter(({ takenUp }) => takenUp).map(({ identifier }) => identifier);
    const letGo = runs - issues.length;
    this.#publish({ type: "runs_lost", runs, issues, letGo, at: this.#parts.clock.now() });
  }

  /**
   * Only now: killed before its survivors were ended, a start must find their runs still open. Waits for a disk that is
   * full; false when the daemon has to end without it.
   */
  async #commitRecovered(): Promise<boolean> {
    const { ledger, clock } = this.#parts;
    for (let tries = 0; !this.#ended; tries += 1) {
      try {
        ledger.commit(this.#recovered, []);
        this.#workflows.keep();
        this.#startStuck = null;
        if (tries > 0)
          this.#publish({
            type: "warning",
            message: "the ledger can be written again",
            topic: "ledger",
            over: true,
            at: clock.now(),
          });
        return true;
      } catch (error) {
        if (!(error instanceof LedgerError && error.mayPass)) {
          await this.#end({ how: "fatal", error });
          return false;
        }
        if (this.#stopAsked) {
          await this.#end({ how: "clean" });
          return false;
        }
        this.#startStuck = error.message;
        if (tries === 0)
          this.#publish({
            type: "warning",
            message: stuckWords(error),
            topic: "ledger",
            at: clock.now(),
          });
        await sleep(RETRY_MS);
      }
    }
    return false;
  }

  /** Whatever goes wrong on the way down, it comes to an end: nobody would wait for a daemon that fell over twice. */
  async #end(asked: Stopped): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const how = await this.#windDown(asked).catch((error: unknown) => ({ how: "fatal", error }) as const);
    this.#resolve(how.how === "fatal" && this.#stopAsked ? { ...how, isAsked: true } : how);
  }

  async #windDown(asked: Stopped): Promise<Stopped> {
    const { clock } = this.#parts;
    this.#orders.stop();
    const settled = asked.how === "clean" || (await this.#endRuns());
    const how = this.#closeLoop(asked.how === "forced" && settled ? { how: "clean" } : asked);
    await this.#workflows.stop();
    await this.#runners.close(asked.how === "clean" ? this.#patienceMs() : 0);
    if (how.how !== "fatal") {
      const at = clock.now();
      const scans = lastScans(this.#loop.state);
      this.#publish({ type: "daemon_stopped", uptimeMs: at - this.#startedAt, scans, at });
    }
    return how;
  }

  #closeLoop(how: Stopped): Stopped {
    try {
      this.#loop.close();
      return how;
    } catch (error) {
      return { how: "fatal", error };
    }
  }

  /** The second request, a run that outlasts the grace, a broken loop: whether all runs came to a recorded end. */
  async #endRuns(): Promise<boolean> {
    const { installation } = this.#saved;
    const over = this.#runners.endAttempts();
    await endSurvivors(installation, [], LAST_PATIENCE);
    if (await within(SETTLE_MS, over)) return true;
    await endSurvivors(installation, [], NO_PATIENCE);
    return false;
  }

  /** What is left of the grace for removals; all of it when nobody asked for the end, as after a drain. */
  #patienceMs(): number {
    const { stopBy, workflows } = this.#loop.state;
    if (stopBy !== null) return Math.max(0, stopBy - this.#parts.clock.now());
    return Math.max(0, ...[...workflows.values()].map(({ policy }) => policy.graceMs));
  }

  /** On disk before it is told; before anything outside is done about it. */
  #record(fact: Fact): void {
    const { facts, ledger } = this.#parts;
    // What was decided before it is written before it.
    this.#loop.flush();
    ledger.commit([], [fact]);
    facts.publish(fact);
  }

  #publish(fact: Fact): void {
    this.#loop.tell(fact);
  }
}

const leftBehind = (pids: readonly number[]): string =>
  `Processes of an earlier daemon could not be ended and may still work in a workspace: ${pids.join(", ")}. End them by hand.`;
