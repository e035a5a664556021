/**
 * Agents as they are out there: processes that live apart from the daemon, survive its death until somebody ends them,
 * work on tickets, burn tokens, and misbehave in every way a run can end.
 *
 * States: preparing (workspace, hooks, launch) → open → turn ⇄ open → leaving → gone.
 */
import { failure, type Failure, failureScope } from "../../src/domain/failure.ts";
import type { Issue } from "../../src/domain/issue.ts";
import { threadId, turnId, type Run, type ThreadId } from "../../src/domain/run.ts";
import { after, type Instant } from "../../src/domain/time.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { RunEvent, RunNews } from "../../src/scheduler/events.ts";
import { strikes, type Ground } from "./ground.ts";
import { believable, mishap, tokensOf } from "./mishaps.ts";
import type { Stroke } from "./outages.ts";

/** TERM, then KILL, then the hook: no agent takes longer to go than this. */
export const LEAVE_MAX_MS = 16_000;

/** What one report of usage adds at most: by so much a limit may be overrun while nobody can know. */
export const USAGE_MAX = 400_000;

/** `codex.turn_timeout_ms` of everybody. */
const TURN_SILENCE_MS = 3_600_000;

type StartWork = Extract<Work, { type: "start" }>;

export class AgentProcess {
  readonly run: Run;
  readonly issue: Issue;
  readonly #ground: Ground;
  readonly #resume: ThreadId | null;
  readonly #clock: () => Instant;
  readonly #report: (news: RunEvent) => void;
  #step: "preparing" | "open" | "turn" | "leaving" | "gone" = "preparing";
  #thread: ThreadId | null = null;
  #turns = 0;
  /** Whether the turn under way has said so. */
  #begun = false;
  #signAt: Instant;
  #openCommands = 0;
  #openCalls = 0;
  /** Some agents count from zero in each process. */
  readonly #fromZero: boolean;
  #before = 0;
  #why: Failure | null = null;
  #survey = false;

  constructor(
    { run, issue, resume }: StartWork,
    ground: Ground,
    clock: () => Instant,
    report: (news: RunEvent) => void,
    /** Until there can be a workspace. */
    waitMs: number,
  ) {
    this.run = run;
    this.issue = issue;
    this.#ground = ground;
    this.#resume = resume;
    this.#clock = clock;
    this.#report = report;
    this.#signAt = clock();
    ground.agents.add(this);
    this.#fromZero = ground.random.chance(ground.faults().oddUsage / 2);
    this.#later(waitMs + this.#ms(50, 20_000), () => this.#prepared());
  }

  /** How long a turn that was asked for has gone on without a sign and without a command. */
  get silentMs(): number {
    return this.#step === "turn" && this.#openCommands === 0 ? this.#clock() - this.#signAt : 0;
  }

  turn(): void {
    if (this.#step !== "open") return;
    if (!this.#ground.calm() && this.#ground.silences.chance(this.#ground.faults().stalls / 4)) {
      this.#step = "turn";
      this.#begun = false;
      this.#sign();
      this.#act("never begins its turn");
      return this.#timesOut(0);
    }
    this.#later(this.#ms(5, 500), () => this.#beginTurn());
  }

  /** Asked to come to an end: most do, some do not listen. */
  steer(): void {
    if (this.#step !== "turn" || this.#ground.random.chance(0.3)) return;
    const turn = this.#turns;
    this.#later(this.#ms(1_000, 60_000), () => this.#isTurn(turn) && this.#endTurn("completed", null));
  }

  stop(why: Failure | null, survey: boolean): void {
    this.#survey ||= survey;
    if (this.#step === "leaving" || this.#step === "gone") return;
    const before = this.#step;
    this.#step = "leaving";
    this.#why = why;
    const { random } = this.#ground;
    if (before === "turn" && random.chance(0.5)) {
      this.#later(this.#ms(5, 400), () => this.#tellTurnEnded("interrupted", why));
    }
    if (before === "turn" && random.chance(0.3)) this.#later(this.#ms(5, 400), () => this.#use(1));
    this.#later(random.chance(0.1) ? LEAVE_MAX_MS - 1_000 : this.#ms(20, 5_000), () => this.#gone(why));
  }

  pulse(): void {
    if (this.#step === "preparing" || this.#step === "gone") return;
    this.#tell({
      type: "pulse",
      signAt: this.#signAt,
      openCommands: this.#openCommands,
      openCalls: this.#openCalls,
    });
  }

  /** Ended from outside: nobody hears of it. */
  kill(): void {
    this.#ground.agents.delete(this);
    this.#step = "gone";
  }

  #prepared(): void {
    const { random } = this.#ground;
    const { workspaceFails, launchFails } = this.#ground.faults();
    if (this.#step !== "preparing") return;
    const struck = this.#ground.outages().ofBeginning();
    if (struck !== null) return this.#strike(struck, (why) => this.#gone(why));
    if (strikes(this.#ground, workspaceFails, "workspacesFailed"))
      return this.#gone(mishap("workspace", random));
    const speechless = this.#ground.prompts().of(this.issue.id);
    if (speechless !== null) return this.#gone(speechless);
    this.#tell({ type: "launched", pid: random.between(2, 4_000_000), ...PROCESS });
    const failing = strikes(this.#ground, launchFails, "launchesFailed");
    this.#later(this.#ms(100, failing ? 30_000 : 3_000), () =>
      failing ? this.#gone(mishap("launch", random)) : this.#open(),
    );
  }

  #open(): void {
    if (this.#step !== "preparing") return;
    const { threads } = this.#ground;
    if (this.#resume !== null && this.#isDead(this.#resume, "mute"))
      return this.#gone(failure("resume_failed", "the thread does not come back"));
    const known = this.#resume !== null && threads.has(this.#resume);
    const resumed = known && !strikes(this.#ground, this.#ground.faults().forgets, "threadsForgotten");
    const thread = resumed && this.#resume !== null ? this.#resume : threadId(`t${threads.size + 1}`);
    if (!resumed) this.#make(thread);
    this.#before = this.#fromZero ? (threads.get(thread) ?? 0) : 0;
    this.#thread = thread;
    this.#step = "open";
    const why = this.#resume !== null && !resumed ? "no rollout found" : null;
    this.#tell({ type: "opened", threadId: thread, resumed, why });
    if (resumed && strikes(this.#ground, this.#ground.faults().oddUsage, "oddTotals"))
      this.#tell({
        type: "usage",
        threadId: thread,
        total: tokensOf((threads.get(thread) ?? 0) - this.#before),
      });
  }

  /** Some threads come to no second session. */
  #make(thread: ThreadId): void {
    const { threads, deadThreads, stream, calm } = this.#ground;
    const chance = stream("threads");
    threads.set(thread, 0);
    if (!calm() && chance.chance(0.08)) deadThreads.set(thread, chance.pick(["mute", "full"]));
  }

  #isDead(resumed: ThreadId, how: "mute" | "full"): boolean {
    const isDead = this.#ground.deadThreads.get(resumed) === how;
    if (isDead) this.#ground.figures.add("deadThreadsResumed");
    return isDead;
  }

  #beginTurn(): void {
    if (this.#step !== "open") return;
    this.#step = "turn";
    this.#begun = true;
    this.#turns += 1;
    this.#openCommands = 0;
    this.#openCalls = 0;
    this.#sign();
    this.#tell({ type: "turn_started", turnId: this.#turnId() });
    const lasts = this.#ground.calm() ? this.#ms(5_000, 120_000) : this.#ms(5_000, 3_600_000);
    this.#work(lasts);
    if (strikes(this.#ground, this.#ground.faults().stalls, "agentsSilent")) return this.#fallSilent(lasts);
    const turn = this.#turns;
    this.#later(lasts, () => this.#isTurn(turn) && this.#finishTurn());
  }

  /** Nothing is heard any more: for ever, for want of an answer, or because a command runs for hours. */
  #fallSilent(lasts: number): void {
    if (this.#ground.random.chance(0.5)) this.#act("falls silent for ever");
    else if (this.#ground.silences.chance(0.5)) {
      this.#act("calls a tool that never answers");
      this.#openCalls = 1;
    } else {
      this.#act("runs a command that takes hours");
      this.#openCommands = 1;
    }
    this.#timesOut(lasts);
  }

  /** Whoever speaks with it gives a turn up that was silent for `codex.turn_timeout_ms`. */
  #timesOut(lasts: number): void {
    const turn = this.#turns;
    const why = failure("turn_timeout", "nothing was heard of the turn");
    this.#later(lasts + TURN_SILENCE_MS, () => this.#isTurn(turn) && this.#endTurn("interrupted", why));
  }

  /** What happens during a turn: the ticket is moved, tokens are used. */
  #work(lasts: number): void {
    const { random, board } = this.#ground;
    const turn = this.#turns;
    const { id } = this.issue;
    this.#later(lasts * 0.1, () => {
      if (board.issue(id)?.state === "Todo" && random.chance(0.7)) {
        board.change(id, "agent", { state: "In Progress" }, "begins to work");
      }
    });
    const reports = random.between(1, 4);
    for (let n = 1; n <= reports; n += 1) {
      this.#later((lasts * n) / (reports + 0.5), () => this.#isTurn(turn) && this.#use(reports));
    }
  }

  #use(reports: number): void {
    const { random, threads, board } = this.#ground;
    const thread = this.#thread;
    if (thread === null || this.#ground.outages().silent) return;
    this.#sign();
    const hungry = board.nature(this.issue.id)?.hungry === true && !this.#ground.calm();
    const most = hungry ? USAGE_MAX : 60_000;
    const used = (threads.get(thread) ?? 0) + random.between(1_000, Math.round(most / reports));
    threads.set(thread, used);
    const total = used - this.#before;
    this.#tell({ type: "usage", threadId: thread, total: tokensOf(total) });
    if (!this.#ground.calm() && this.#ground.stream("children").chance(0.3)) this.#childUses(thread);
    const { oddUsage } = this.#ground.faults();
    if (strikes(this.#ground, oddUsage, "oddTotals")) {
      const odd = random.pick([0, Math.floor(total / 2), total]);
      this.#later(this.#ms(1, 5_000), () =>
        this.#tell({ type: "usage", threadId: thread, total: tokensOf(odd) }),
      );
    }
  }

  /** An agent of its own, begun or gone on with: its total counts from its first run. */
  #childUses(parent: ThreadId): void {
    const { used, stream } = this.#ground;
    const children = stream("children");
    const child = threadId(`${parent}-c${children.between(1, 3)}`);
    const total = (used.get(child) ?? 0) + children.between(10, 500);
    used.set(child, total);
    this.#tell({ type: "usage", threadId: child, total: tokensOf(total) });
  }

  /** It ends by what is no fault of its ticket; of a hook nobody can tell before three tickets have failed by it. */
  #strike({ outage, why }: Stroke, end: (why: Failure) => void): void {
    if (failureScope(why.kind) !== "issue") this.#ground.struck.set(this.run.id, outage);
    end(why);
  }

  #finishTurn(): void {
    if (this.#resume !== null && this.#resume === this.#thread && this.#isDead(this.#resume, "full"))
      return this.#endTurn("failed", failure("context_window_exceeded", "the thread is too full"));
    const { random, board } = this.#ground;
    const struck = this.#ground.outages().ofTurn();
    if (struck !== null) return this.#strike(struck, (why) => this.#endTurn("failed", why));
    const faults = this.#ground.faults();
    const nature = this.#ground.calm() ? null : board.nature(this.issue.id);
    const hopeless = nature?.hopeless === true;
    if (strikes(this.#ground, faults.refused, "providerRefusals")) {
      // It may have finished by then.
      if (random.chance(0.1)) this.#handOver();
      return this.#endTurn("failed", this.#refusal());
    }
    if (strikes(this.#ground, hopeless ? 0.3 : faults.dies, "deaths")) return this.#die();
    if (strikes(this.#ground, hopeless ? 1 : faults.turnFails, "turnsFailed"))
      return this.#endTurn(random.pick(["failed", "failed", "interrupted"]), mishap("turn", random));
    const done = nature?.pointless !== true && board.worked(this.issue.id);
    if (done) this.#handOver();
    this.#endTurn("completed", null);
  }

  /** The provider takes no work; half the time it says until when, by its own clock. */
  #refusal(): Failure {
    const { random, timeline } = this.#ground;
    const soon = random.spread(60_000, 2 * 3_600_000);
    const resetsAt = random.chance(0.5) ? null : after(timeline.true, soon);
    return { ...mishap("provider", random), resetsAt: believable(resetsAt, this.#clock()) };
  }

  #handOver(): void {
    const { board, random } = this.#ground;
    const { id } = this.issue;
    const reviewed = board.issue(id)?.state === "In Review" || this.#ground.calm() || random.chance(0.6);
    if (reviewed) this.#ground.figures.add("ticketsDone");
    board.change(
      id,
      "agent",
      { state: reviewed ? "Done" : "In Review" },
      reviewed ? "is done with it" : "asks for review",
    );
  }

  #endTurn(status: "completed" | "failed" | "interrupted", why: Failure | null): void {
    this.#step = "open";
    this.#tellTurnEnded(status, why);
  }

  #tellTurnEnded(status: "completed" | "failed" | "interrupted", why: Failure | null): void {
    this.#sign();
    const id = this.#begun ? this.#turnId() : null;
    this.#tell({ type: "turn_ended", turnId: id, status, failure: why, message: null });
  }

  #die(): void {
    this.#act("dies");
    this.#gone(this.#ground.random.chance(0.2) ? null : mishap("death", this.#ground.random));
  }

  /** The process is gone at once, the hook takes a moment, then its end is told. */
  #gone(why: Failure | null): void {
    if (this.#step === "gone") return;
    this.#step = "gone";
    this.#ground.agents.delete(this);
    const { random, board, timeline } = this.#ground;
    const pointless = board.nature(this.issue.id)?.pointless === true && !this.#ground.calm();
    const changed = !this.#survey || random.chance(0.2) ? null : !pointless;
    timeline.in(random.between(0, 1_000), () =>
      this.#tell({ type: "exited", failure: this.#why ?? why, changed }),
    );
  }

  /** What it does that its daemon may not see. */
  #act(words: string): void {
    this.#ground.tell(
      "agent",
      this.issue.identifier,
      () => `the agent of ${this.run.id} ${words}`,
      this.issue.id,
    );
  }

  #tell(news: RunNews): void {
    this.#report({ ...news, runId: this.run.id, issueId: this.run.issueId });
  }

  #sign(): void {
    this.#signAt = this.#clock();
  }

  #isTurn = (turn: number): boolean => this.#step === "turn" && this.#turns === turn;

  #turnId = () => turnId(`${this.run.id}-u${this.#turns}`);

  #ms = (low: number, high: number): number =>
    this.#ground.random.spread(low, this.#ground.calm() ? Math.min(high, 10 * low) : high);

  #later(ms: number, act: () => unknown): void {
    this.#ground.timeline.in(ms, () => {
      if (this.#step !== "gone") act();
    });
  }
}

const PROCESS = { startTicks: 1, bootId: "boot", workspace: "/workspaces/one" };
