/**
 * The real daemon with the real Linear adapter in virtual time: two workflows with one key, agents that hold their turns,
 * and a Linear that refuses. Time goes from one deadline of the daemon to the next.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { ScriptedAgent } from "../../../src/agent/scripted.ts";
import { Daemon } from "../../../src/daemon/service.ts";
import type { Fact } from "../../../src/domain/fact.ts";
import { describe } from "../../../src/facts/describe.ts";
import { Facts } from "../../../src/facts/bus.ts";
import { Redactor } from "../../../src/facts/redact.ts";
import { MemoryLedger } from "../../../src/ledger/memory.ts";
import type { Send } from "../../../src/tracker/linear/http.ts";
import { createLinearTracker } from "../../../src/tracker/linear/linear.ts";
import { rateGates } from "../../../src/tracker/linear/rate-gate.ts";
import { SharedScans } from "../../../src/tracker/linear/shared-scans.ts";
import { WorkflowFile } from "../../../src/workflow/workflow.ts";
import { createMemoryWorkspaces } from "../../../src/workspace/memory.ts";
import { TOGETHER_MS } from "../../../src/daemon/loop.ts";
import { HandClock } from "../../unit/daemon/hand-clock.ts";
import { StormyLinear } from "./rate-storm.ts";

/** Rounds of the event loop in which nothing happened, after which nothing will. */
const QUIET_ROUNDS = 4;

const never = new AbortController().signal;

interface Ticket {
  readonly id: string;
  readonly identifier: string;
  readonly label: string;
}

const workflow = (label: string, root: string): string => `---
tracker:
  kind: linear
  project_slug: demo
  api_key: lin_api_KeyOfTheRateStorm
  endpoint: https://linear.invalid/graphql
  required_labels: [${label}]
  active_states: [Todo]
  terminal_states: [Done]
workspace: {root: ${root}}
agent: {max_concurrent_agents: 50}
codex: {stall_timeout_ms: 0}
---
Work.
`;

export class RateRig {
  readonly clock = new HandClock();
  readonly linear: StormyLinear;
  readonly facts: Fact[] = [];
  readonly agent = new ScriptedAgent(
    () => ({ turns: [] }),
    () => this.clock.now(),
  );
  readonly #tickets: Ticket[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "faults-10-"));
  readonly #daemon: Daemon;
  #happened = 0;

  constructor(random: () => number) {
    this.linear = new StormyLinear(
      () => this.clock.now(),
      random,
      (body) => this.#answer(body),
    );
    const files = ["first", "second"].map((name) => {
      const path = join(this.#folder, `${name}.md`);
      writeFileSync(path, workflow(name, join(this.#folder, "workspaces")));
      const file = new WorkflowFile(path, {}, this.#folder);
      // No file may ask for it: turns that outlive a storm of a year.
      Object.assign(file.current().settings.limits, { maxRunMs: Number.MAX_SAFE_INTEGER / 2 ** 10 });
      return file;
    });
    const redactor = new Redactor();
    const facts = new Facts(redactor);
    facts.subscribe((fact) => this.#heard(fact), "the suite");
    const gateOf = rateGates(() => this.clock.now());
    // As the daemon's own trackers do; who asks in the same turn of the event loop shares a scan.
    const scans = new SharedScans("demo", () => this.clock.now(), turnOfLoop);
    const send: Send = (post) => {
      this.#happened++;
      return this.linear.send(post);
    };
    this.#daemon = new Daemon({
      version: "0",
      files,
      warnings: new Map(),
      clock: this.clock,
      ledger: new MemoryLedger(),
      facts,
      onLoaded: ({ settings }) => redactor.add(settings.tracker.apiKey),
      makeTracker: ({ settings: { tracker } }, news) =>
        createLinearTracker(tracker, news, () => this.clock.now(), {
          send,
          gate: gateOf(tracker),
          scans: scans.join(),
        }),
      agent: this.agent,
      workspaces: createMemoryWorkspaces(),
      survey: async () => null,
      work: async () => null,
      diskLow: async () => null,
      tidy: async () => {},
    });
  }

  async start(): Promise<void> {
    await this.#daemon.start();
    await this.settle();
  }

  /** Puts a ticket on the board, to be found by the next scan. */
  add(label: "first" | "second"): void {
    const n = this.#tickets.length + 1;
    this.#tickets.push({ id: `id-${n}`, identifier: `MT-${n}`, label });
  }

  /** Goes to the daemon's next deadline, and lets everything happen that it sets off. */
  async step(): Promise<void> {
    const next = this.clock.next();
    if (next === null) throw new Error("the daemon waits for nothing");
    this.clock.pass(Math.max(0, next - this.clock.now()));
    await this.settle();
  }

  /** An agent at work asks Linear something. Whether it was answered. */
  async askAsAgent(n: number): Promise<boolean> {
    const live = this.agent.live;
    const tool = live[n % live.length]?.spec.tools[0];
    const answer = await tool?.call({ query: "{ viewer { id } }" }, `call-${n}`, never);
    return answer?.ok ?? false;
  }

  /** Lets what waits for company be written, and told. */
  async write(): Promise<void> {
    this.clock.pass(TOGETHER_MS);
    await this.settle();
  }

  /** Until nothing moves any more at this moment of virtual time. */
  async settle(): Promise<void> {
    for (let quiet = 0, seen = -1; quiet < QUIET_ROUNDS; ) {
      await turnOfLoop();
      quiet = this.#happened === seen ? quiet + 1 : 0;
      seen = this.#happened;
    }
  }

  async stop(): Promise<void> {
    this.#daemon.requestStop("the suite is over");
    this.#daemon.requestStop("and does not wait");
    await this.#daemon.stopped;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #heard(fact: Fact): void {
    this.#happened++;
    // What agents were answered is theirs; debug lines are not shown.
    if (fact.type === "tool_called" || describe(fact).level === "debug") return;
    this.facts.push(fact);
  }

  #answer(body: string): string {
    const { variables, query } = JSON.parse(body) as {
      readonly query: string;
      readonly variables: { readonly ids?: readonly string[]; readonly labels?: unknown };
    };
    const wanted = JSON.stringify(variables.labels ?? null);
    const nodes = this.#tickets
      .filter(({ id, label }) => variables.ids?.includes(id) ?? wanted.includes(`"${label}"`))
      .map(issue);
    const data = query.includes("viewer") ? { viewer: { id: "u" } } : { issues: { nodes, pageInfo: last } };
    return JSON.stringify({ data });
  }
}

const last = { hasNextPage: false, endCursor: null };

const issue = ({ id, identifier, label }: Ticket) => ({
  id,
  identifier,
  title: identifier,
  project: { slugId: "demo" },
  state: { name: "Todo" },
  labels: { nodes: [{ name: label }], pageInfo: last },
  inverseRelations: { nodes: [], pageInfo: last },
});
