/** A daemon on one or more workflows with whatever trackers a test gives it; agents hold their turns, time is moved by hand. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScriptedSession, ScriptedAgent } from "../../../src/agent/scripted.ts";
import { TOGETHER_MS } from "../../../src/daemon/loop.ts";
import { Daemon } from "../../../src/daemon/service.ts";
import type { Fact } from "../../../src/domain/fact.ts";
import type { Workflow } from "../../../src/domain/settings.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import type { Tracker, TrackerNews } from "../../../src/tracker/port.ts";
import { type TrackerReaders, trackerReaders } from "../../../src/workflow/tracker-kinds.ts";
import { WorkflowFile } from "../../../src/workflow/workflow.ts";
import { createMemoryWorkspaces } from "../../../src/workspace/memory.ts";
import { eventually } from "../../eventually.ts";
import { HandClock } from "./hand-clock.ts";

interface Given {
  /** Texts of WORKFLOW.md files. */
  readonly workflows: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly readers?: TrackerReaders;
  readonly makeTracker: (clock: HandClock) => (workflow: Workflow, news: TrackerNews) => Tracker;
}

export class Tracked {
  readonly clock = new HandClock();
  readonly facts: Fact[] = [];
  readonly ledger = new MemoryLedger();
  readonly agent = new ScriptedAgent(
    () => ({}),
    () => this.clock.now(),
  );
  readonly #daemon: Daemon;
  readonly #folder = mkdtempSync(join(tmpdir(), "tracked-"));

  constructor({ workflows, env = {}, readers = trackerReaders, makeTracker }: Given) {
    const files = workflows.map((text, n) => {
      const path = join(this.#folder, `workflow-${n}.md`);
      writeFileSync(path, text);
      return new WorkflowFile(path, env, this.#folder, readers);
    });
    const facts = new Facts(new Redactor());
    facts.subscribe((fact) => void this.facts.push(fact), "the test");
    this.#daemon = new Daemon({
      version: "0",
      files,
      warnings: new Map(),
      clock: this.clock,
      ledger: this.ledger,
      facts,
      onLoaded: () => {},
      makeTracker: makeTracker(this.clock),
      agent: this.agent,
      workspaces: createMemoryWorkspaces(),
      survey: async () => null,
      work: async () => null,
      diskLow: async () => null,
      tidy: async () => {},
    });
  }

  start(): Promise<void> {
    return this.#daemon.start();
  }

  /** Resolves with the sessions that have a turn, once there are so many. */
  busy(count: number): Promise<readonly ScriptedSession[]> {
    return eventually(() => {
      const busy = this.agent.live.filter(({ isBusy }) => isBusy);
      if (busy.length !== count) throw new Error(`${busy.length} agents have a turn, not ${count}`);
      return busy;
    });
  }

  count(type: Fact["type"]): number {
    return this.facts.filter((fact) => fact.type === type).length;
  }

  /** Resolves once so many facts of this type were said; what waits to be written with the next step need not wait for one. */
  said(type: Fact["type"], count: number): Promise<void> {
    return eventually(() => {
      this.clock.pass(TOGETHER_MS);
      if (this.count(type) < count) throw new Error(`"${type}" was said ${this.count(type)} times`);
    });
  }

  async stop(): Promise<void> {
    this.#daemon.requestStop("the test is over");
    this.#daemon.requestStop("and does not wait");
    await this.#daemon.stopped;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
