/** Composition root: builds everything, starts in order, stops in reverse. Knows every part and decides nothing. */
import type { Agent, AgentTool } from "../agent/agent.ts";
import type { Fact, FactBody } from "../domain/fact.ts";
import type { WorkflowName } from "../domain/run.ts";
import type { Workflow, WorkspaceSettings } from "../domain/settings.ts";
import type { Facts } from "../facts/facts.ts";
import type { Ledger, Saved } from "../ledger/ledger.ts";
import type { Tracker, TrackerNews } from "../tracker/tracker.ts";
import type { WorkflowFile } from "../workflow/workflow.ts";
import type { Workspaces } from "../workspace/workspace.ts";
import type { Clock } from "./clock.ts";
import { Loop } from "./loop.ts";
import { OrderDesk } from "./order-desk.ts";
import { recover } from "./recover.ts";
import { Runners } from "./runners.ts";
import { trackersFor } from "./trackers.ts";
import { endSurvivors } from "./survivors.ts";
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
  readonly toolsFor: (tracker: Tracker, publish: (fact: FactBody) => void) => readonly AgentTool[];
  readonly agent: Agent;
  readonly workspaces: Workspaces;
  /** Identifies the state of a workspace, to see whether a run changed anything; null when it cannot be told. */
  readonly survey: (path: string) => Promise<string | null>;
  /** Why the disk takes no more work, in words; null = it does. */
  readonly diskLow: (settings: WorkspaceSettings) => Promise<string | null>;
  /** Removes what has been kept for long enough; called with every sweep. */
  readonly tidy: () => Promise<void>;
}

/** How the daemon came to its end: asked to, out of patience, or because going on was not safe. */
export type Stopped =
  | { readonly how: "clean" | "forced" }
  | { readonly how: "fatal"; readonly error: unknown };

/** Facts that tell how things are rather than what happened: said and counted, but not kept in the ledger. */
const PASSING: ReadonlySet<Fact["type"]> = new Set(["polled", "tracker_rates"]);

export class Daemon {
  readonly stopped: Promise<Stopped>;
  readonly #parts: DaemonParts;
  readonly #saved: Saved;
  readonly #loop: Loop;
  readonly #workflows: Workflows;
  readonly #runners: Runners;
  readonly #orders: OrderDesk;
  readonly #startedAt: number;
  readonly #resolve: (how: Stopped) => void;
  #stopAsked = false;
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
    const { state, records } = recover(saved, clock.now(), names);
    ledger.commit(records, []);
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
      run: (work) => this.#runners.run(work),
      onFatal: (error) => void this.#end({ how: "fatal", error }),
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
      toolsFor: parts.toolsFor,
      agent: parts.agent,
      workspaces: parts.workspaces,
      survey: parts.survey,
      diskLow: parts.diskLow,
      tidy: parts.tidy,
      installation: saved.installation,
      clock,
      publish,
      dispatch,
      onExit: (clean) => void this.#end({ how: clean ? "clean" : "forced" }),
    });
  }

  /** Begins to work: settings first, then the polls. */
  async start(): Promise<void> {
    const { version, clock } = this.#parts;
    const workflows = this.#workflows.all().map((workflow) => workflow.settings.name);
    await this.#endSurvivors();
    this.#publish({ type: "daemon_started", version, pid: process.pid, workflows, at: clock.now() });
    const watching = this.#workflows.start(this.#parts.warnings);
    this.#orders.start();
    this.#loop.dispatch({ type: "began" });
    await watching;
  }

  /** The first request drains, the second does not wait. May be called from a signal handler: it only enqueues. */
  requestStop(why: string): void {
    const force = this.#stopAsked;
    this.#stopAsked = true;
    this.#loop.dispatch({ type: "stop_requested", why, force });
  }

  /** What the scheduler knows now; for tests and read-only views. */
  get state(): Loop["state"] {
    return this.#loop.state;
  }

  /** Before the first start, and before anything is asked of the tracker: nobody may work on an issue twice. */
  async #endSurvivors(): Promise<void> {
    const { installation, open } = this.#saved;
    const processes = await endSurvivors(installation, open);
    if (processes > 0) this.#publish({ type: "survivors_ended", processes, at: this.#parts.clock.now() });
  }

  async #end(how: Stopped): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#orders.stop();
    this.#loop.close();
    await this.#workflows.stop();
    await this.#runners.close();
    const { clock } = this.#parts;
    if (how.how !== "fatal") {
      this.#publish({ type: "daemon_stopped", uptimeMs: clock.now() - this.#startedAt, at: clock.now() });
    }
    this.#resolve(how);
  }

  #publish(fact: Fact): void {
    const { facts, ledger } = this.#parts;
    if (!PASSING.has(fact.type)) ledger.append(fact);
    facts.publish(fact);
  }
}
