/**
 * Agents as they are out there: processes that live apart from the daemon, survive its death until somebody ends them,
 * work on tickets, burn tokens, and misbehave in every way a run can end.
 *
 * States: preparing (workspace, hooks, launch) → open → turn ⇄ open → leaving → gone.
 */
import { failure, type Failure, type FailureKind } from "../../src/domain/failure.ts";
import type { Issue } from "../../src/domain/issue.ts";
import { noTokens, threadId, turnId, type Run, type ThreadId, type Tokens } from "../../src/domain/run.ts";
import { after, type Instant } from "../../src/domain/time.ts";
import type { Work } from "../../src/scheduler/effects.ts";
import type { RunEvent } from "../../src/scheduler/events.ts";
import type { Board } from "./board.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** TERM, then KILL, then the hook: no agent takes longer to go than this. */
export const LEAVE_MAX_MS = 16_000;

/** What one report of usage adds at most: by so much a limit may be overrun while nobody can know. */
export const USAGE_MAX = 400_000;

/** Where agents live. */
export interface Ground {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly board: Board;
  /** What each thread has really used. */
  readonly threads: Map<ThreadId, number>;
  readonly faults: () => Faults;
  /** Everybody does what they should, and quickly. */
  readonly calm: () => boolean;
}

type StartWork = Extract<Work, { type: "start" }>;
type Told = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, "runId" | "issueId"> : never) : never;

export class AgentProcess {
  readonly run: Run;
  readonly issue: Issue;
  /** False when no process of it is left. */
  alive = true;
  readonly #ground: Ground;
  readonly #resume: ThreadId | null;
  readonly #clock: () => Instant;
  readonly #report: (news: RunEvent) => void;
  #step: "preparing" | "open" | "turn" | "leaving" | "gone" = "preparing";
  #thread: ThreadId | null = null;
  #turns = 0;
  #signAt: Instant;
  #openItems = 0;
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
  ) {
    this.run = run;
    this.issue = issue;
    this.#ground = ground;
    this.#resume = resume;
    this.#clock = clock;
    this.#report = report;
    this.#signAt = clock();
    this.#fromZero = ground.random.chance(ground.faults().oddUsage / 2);
    this.#later(this.#ms(50, 20_000), () => this.#prepared());
  }

  turn(): void {
    if (this.#step !== "open") return;
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

  probe(): void {
    if (this.#step === "preparing" || this.#step === "gone") return;
    this.#tell({ type: "pulse", signAt: this.#signAt, openItems: this.#openItems });
  }

  /** Ended from outside: nobody hears of it. */
  kill(): void {
    this.alive = false;
    this.#step = "gone";
  }

  #prepared(): void {
    const { random } = this.#ground;
    const { workspaceFails, launchFails } = this.#ground.faults();
    if (this.#step !== "preparing") return;
    if (random.chance(workspaceFails)) {
      return this.#gone(failed(random.pick(["workspace_error", "hook_failed", "hook_timeout"])));
    }
    this.#tell({ type: "launched", pid: random.between(2, 4_000_000), ...PROCESS });
    const failing = random.chance(launchFails);
    this.#later(this.#ms(100, failing ? 30_000 : 3_000), () =>
      failing ? this.#gone(failed(random.pick(LAUNCH_FAILURES))) : this.#open(),
    );
  }

  #open(): void {
    if (this.#step !== "preparing") return;
    const { random, threads } = this.#ground;
    const known = this.#resume !== null && threads.has(this.#resume);
    const resumed = known && !random.chance(this.#ground.faults().forgets);
    const thread = resumed && this.#resume !== null ? this.#resume : threadId(`t${threads.size + 1}`);
    if (!resumed) threads.set(thread, 0);
    this.#before = this.#fromZero ? (threads.get(thread) ?? 0) : 0;
    this.#thread = thread;
    this.#step = "open";
    const why = this.#resume !== null && !resumed ? "no rollout found" : null;
    this.#tell({ type: "opened", threadId: thread, resumed, why });
  }

  #beginTurn(): void {
    if (this.#step !== "open") return;
    const { random } = this.#ground;
    this.#step = "turn";
    this.#turns += 1;
    this.#openItems = 0;
    this.#tell({ type: "turn_started", turnId: this.#turnId() });
    const lasts = this.#ground.calm() ? this.#ms(5_000, 120_000) : this.#ms(5_000, 3_600_000);
    this.#work(lasts);
    if (random.chance(this.#ground.faults().stalls)) return this.#fallSilent(lasts);
    const turn = this.#turns;
    this.#later(lasts, () => this.#isTurn(turn) && this.#finishTurn());
  }

  /** Nothing is heard any more: for ever, or because a command runs for hours. */
  #fallSilent(lasts: number): void {
    if (this.#ground.random.chance(0.5)) return;
    this.#openItems = 1;
    const turn = this.#turns;
    this.#later(lasts + 2 * 3_600_000, () => this.#isTurn(turn) && this.#finishTurn());
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
    if (thread === null) return;
    this.#sign();
    const hungry = board.nature(this.issue.id)?.hungry === true && !this.#ground.calm();
    const most = hungry ? USAGE_MAX : 60_000;
    const used = (threads.get(thread) ?? 0) + random.between(1_000, Math.round(most / reports));
    threads.set(thread, used);
    const total = used - this.#before;
    this.#tell({ type: "usage", threadId: thread, total: tokens(total) });
    const { oddUsage } = this.#ground.faults();
    if (random.chance(oddUsage)) {
      const odd = random.pick([0, Math.floor(total / 2), total]);
      this.#later(this.#ms(1, 5_000), () =>
        this.#tell({ type: "usage", threadId: thread, total: tokens(odd) }),
      );
    }
  }

  #finishTurn(): void {
    const { random, board, timeline } = this.#ground;
    const faults = this.#ground.faults();
    const nature = this.#ground.calm() ? null : board.nature(this.issue.id);
    const hopeless = nature?.hopeless === true;
    if (random.chance(faults.refused)) {
      const soon = random.spread(60_000, 2 * 3_600_000);
      const resetsAt = random.chance(0.5) ? null : after(random.pick([this.#clock(), timeline.true]), soon);
      const refusal = failed(random.pick(PROVIDER_FAILURES));
      return this.#endTurn("failed", { ...refusal, resetsAt: believable(resetsAt, this.#clock()) });
    }
    if (random.chance(hopeless ? 0.3 : faults.dies)) return this.#die();
    if (hopeless || random.chance(faults.turnFails))
      return this.#endTurn(random.pick(["failed", "failed", "interrupted"]), failed(random.pick(TURN_FAILURES)));
    const done = nature?.pointless !== true && board.worked(this.issue.id);
    if (done) this.#handOver();
    this.#endTurn("completed", null);
  }

  #handOver(): void {
    const { board, random } = this.#ground;
    const { id } = this.issue;
    const reviewed = board.issue(id)?.state === "In Review" || this.#ground.calm() || random.chance(0.6);
    board.change(id, "agent", { state: reviewed ? "Done" : "In Review" }, reviewed ? "is done" : "asks for review");
  }

  #endTurn(status: "completed" | "failed" | "interrupted", why: Failure | null): void {
    this.#step = "open";
    this.#tellTurnEnded(status, why);
  }

  #tellTurnEnded(status: "completed" | "failed" | "interrupted", why: Failure | null): void {
    this.#sign();
    this.#tell({ type: "turn_ended", turnId: this.#turnId(), status, failure: why, message: null });
  }

  #die(): void {
    this.#gone(this.#ground.random.chance(0.2) ? null : failed(this.#ground.random.pick(DEATHS)));
  }

  /** The process is gone at once, the hook takes a moment, then its end is told. */
  #gone(why: Failure | null): void {
    if (this.#step === "gone") return;
    this.#step = "gone";
    this.alive = false;
    const { random, board, timeline } = this.#ground;
    const pointless = board.nature(this.issue.id)?.pointless === true && !this.#ground.calm();
    const changed = !this.#survey || random.chance(0.2) ? null : !pointless;
    timeline.in(random.between(0, 1_000), () =>
      this.#tell({ type: "exited", failure: this.#why ?? why, changed }),
    );
  }

  #tell(news: Told): void {
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
      if (this.alive) act();
    });
  }
}

const PROCESS = { startTicks: 1, bootId: "boot", workspace: "/workspaces/one" };

const LAUNCH_FAILURES: readonly [FailureKind, ...FailureKind[]] = [
  "codex_not_found",
  "invalid_workspace_cwd",
  "response_timeout",
  "response_error",
  "port_exit",
  "template_parse_error",
  "template_render_error",
  "input_too_large",
];

const PROVIDER_FAILURES: readonly [FailureKind, ...FailureKind[]] = [
  "usage_limit",
  "rate_limited",
  "unauthorized",
  "model_not_found",
];

const TURN_FAILURES: readonly [FailureKind, ...FailureKind[]] = [
  "turn_failed",
  "turn_failed",
  "turn_cancelled",
  "turn_timeout",
  "context_window_exceeded",
  "provider_overloaded",
  "provider_unreachable",
  "content_refused",
  "turn_input_required",
  "approval_required",
];

const DEATHS: readonly [FailureKind, ...FailureKind[]] = ["port_exit", "protocol_violation", "internal", "stalled"];

const failed = (kind: FailureKind): Failure => failure(kind, `it was ${kind.replaceAll("_", " ")}`);

const tokens = (total: number): Tokens => ({
  ...noTokens,
  input: Math.floor(total * 0.9),
  output: total - Math.floor(total * 0.9),
  total,
});

/** A reset in the past says nothing. */
const believable = (at: Instant | null, now: Instant): Instant | null => (at !== null && at > now ? at : null);
