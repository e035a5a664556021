/** People who run Baton: they give orders, edit WORKFLOW.md, stop it. */
import { EVERYTHING, type Order } from "../../src/domain/order.ts";
import type { IssueId } from "../../src/domain/issue.ts";
import { after } from "../../src/domain/time.ts";
import { type Policy } from "../../src/scheduler/state.ts";
import type { Accounts } from "./account.ts";
import { WORKFLOWS, calmPolicy, edited } from "./config.ts";
import { often, type Ground } from "./ground.ts";
import type { Installation } from "./installation.ts";
import type { Supervisor } from "./supervisor.ts";
import { HOUR_MS } from "./timeline.ts";
import { ordered } from "./words.ts";

export class People {
  readonly #ground: Ground;
  readonly #installation: Installation;
  readonly #supervisor: Supervisor;
  readonly #accounts: Accounts;
  #edits = 0;

  constructor(ground: Ground, installation: Installation, supervisor: Supervisor, accounts: Accounts) {
    this.#ground = ground;
    this.#installation = installation;
    this.#supervisor = supervisor;
    this.#accounts = accounts;
    often(ground, "ordersPerDay", () => this.order());
    often(ground, "reloadsPerDay", () => this.#editWorkflow());
    often(ground, "stopsPerDay", () => this.#stop());
  }

  /** A WORKFLOW.md is saved. */
  reload(policy: Policy): void {
    const { workflow, agentsMax, limits, turnsMax } = policy;
    const { broken, policies } = this.#installation;
    broken.delete(workflow);
    policies.set(workflow, policy);
    this.#does(
      () =>
        `saves ${workflow}'s WORKFLOW.md: ${agentsMax} slots, ${limits.maxRunsPerIssue} runs of ${turnsMax} turns`,
    );
    this.#supervisor.say({ type: "configured", policy });
  }

  resumeAll(): void {
    this.#give({ type: "resume", scope: EVERYTHING });
  }

  /** Gives some order. */
  order(): void {
    const { random, timeline } = this.#ground;
    const scope = random.chance(0.3) ? EVERYTHING : random.pick(WORKFLOWS);
    const kind = random.between(1, 10);
    if (kind <= 3) {
      const until = random.chance(0.5) ? null : after(timeline.wall, random.spread(60_000, 4 * HOUR_MS));
      this.#give({ type: "pause", scope, why: "freeze", until });
      if (until === null)
        timeline.in(random.spread(60_000, 8 * HOUR_MS), () => this.#give({ type: "resume", scope }));
    } else if (kind <= 5) this.#give({ type: "resume", scope });
    else if (kind <= 9) this.#release();
    else this.#give({ type: "drain", why: "maintenance" });
  }

  #release(): void {
    const { random, board } = this.#ground;
    const parked = board.ids().filter((id) => this.#accounts.issue(id).claim?.phase === "parked");
    const id: IssueId | undefined = random.pick(
      parked.length > 0 && random.chance(0.7) ? parked : board.ids(),
    );
    if (id === undefined) return;
    const issue = random.chance(0.5) ? id : (board.issue(id)?.identifier ?? id);
    const [addRuns, addTokens] = [random.pick([0, 0, 2, 5]), random.pick([0, 0, 500_000])];
    const newThread = this.#ground.stream("new threads").chance(0.2) ? { newThread: true as const } : {};
    this.#give({ type: "release", issue, addRuns, addTokens, ...newThread });
  }

  #give(order: Order): void {
    const { timeline, random, figures } = this.#ground;
    figures.add(ORDERS[order.type]);
    this.#does(() => ordered(order, timeline.wall));
    this.#installation.ledger.giveOrder(order);
    // The desk looks twice a second; more than that one look only counts while the ledger takes nothing.
    for (const ms of [random.between(0, 500), 60_000, 600_000])
      timeline.in(ms, () => this.#supervisor.daemon?.look());
  }

  #editWorkflow(): void {
    const { random, figures } = this.#ground;
    const name = random.pick(WORKFLOWS);
    if (random.chance(0.25)) return this.#breakWorkflow(name);
    this.#edits += 1;
    figures.add("reloads");
    const calm = calmPolicy(name, this.#installation.habits);
    this.reload(random.chance(0.3) ? calm : edited(calm, random, this.#edits));
  }

  /** A file is saved half written, and put right some time later. */
  #breakWorkflow(name: Policy["workflow"]): void {
    const { random, timeline, figures } = this.#ground;
    const { broken, policies } = this.#installation;
    figures.add("brokenReloads");
    this.#does(() => `breaks ${name}'s WORKFLOW.md`);
    broken.add(name);
    this.#supervisor.say({ type: "misconfigured", workflow: name, error: "line 3: bad indentation" });
    timeline.in(random.spread(10_000, 2 * HOUR_MS), () => {
      const policy = policies.get(name);
      if (broken.has(name) && policy !== undefined) this.reload(policy);
    });
  }

  #stop(): void {
    const { random, timeline } = this.#ground;
    this.#does(() => "stops Baton with SIGTERM");
    this.#supervisor.say({ type: "stop_requested", why: "SIGTERM", force: false });
    if (!random.chance(0.3)) return;
    timeline.in(random.spread(10, 5_000), () =>
      this.#supervisor.say({ type: "stop_requested", why: "SIGTERM", force: true }),
    );
  }

  #does(words: () => string): void {
    this.#ground.tell("person", "somebody", words);
  }
}

const ORDERS = {
  pause: "pauses",
  resume: "resumes",
  release: "releases",
  drain: "drains",
  release_all: "releases",
} as const;
