/**
 * A full fake of the agent port: no process, no time. What each run does is a script; a turn without one waits until the
 * test ends it. News comes in microtasks, never during the call that caused it, as with the real one.
 */
import {
  addTokens,
  type FactBody,
  failure,
  type Failure,
  instant,
  type Instant,
  noTokens,
  threadId,
  type ThreadId,
  type Tokens,
  turnId,
  type TurnId,
  type UnderWay,
} from "../domain/domain.ts";
import type { Agent, AgentNews, AgentSession, AgentSpec, Pulse } from "./port.ts";

export interface ScriptedTurn {
  readonly status: "completed" | "failed" | "interrupted";
  /** Default: `turn_failed` unless completed. */
  readonly failure?: Failure;
  readonly message?: string;
  /** What the turn adds to the thread's total. */
  readonly tokens?: Tokens;
  /** Told before the turn's end. */
  readonly facts?: readonly FactBody[];
}

export interface ScriptedRun {
  /** The process ends with this before a thread is open. */
  readonly fails?: Failure;
  /** The thread to be resumed is gone. */
  readonly forgets?: boolean;
  /** One after the other; `hold`, and what follows the last, waits for `finish` or `crash`. */
  readonly turns?: readonly (ScriptedTurn | "hold")[];
}

/** Which script a run plays: by its spec and by how many sessions there were before. */
export type ScriptFor = (spec: AgentSpec, before: number) => ScriptedRun;

export class ScriptedAgent implements Agent {
  /** All sessions so far, oldest first. */
  readonly sessions: ScriptedSession[] = [];
  readonly #scriptFor: ScriptFor;
  readonly #clock: () => Instant;
  /** What each thread has used, over sessions. */
  readonly #totals = new Map<ThreadId, Tokens>();

  constructor(scriptFor: ScriptFor = () => ({}), clock: () => Instant = () => instant(0)) {
    this.#scriptFor = scriptFor;
    this.#clock = clock;
  }

  start(spec: AgentSpec, report: (news: AgentNews) => void): ScriptedSession {
    const before = this.sessions.length;
    const session = new ScriptedSession(spec, this.#scriptFor(spec, before), {
      number: before + 1,
      clock: this.#clock,
      totals: this.#totals,
      report,
    });
    this.sessions.push(session);
    return session;
  }

  /** Sessions that have not exited. */
  get live(): readonly ScriptedSession[] {
    return this.sessions.filter((session) => !session.exited);
  }
}

interface Stage {
  readonly number: number;
  readonly clock: () => Instant;
  readonly totals: Map<ThreadId, Tokens>;
  readonly report: (news: AgentNews) => void;
}

/** Pids of no process: far above what Linux gives out. */
const FIRST_PID = 10_000_000;

export class ScriptedSession implements AgentSession {
  readonly spec: AgentSpec;
  /** Texts of the turns, and what was steered into them. */
  readonly texts: string[] = [];
  readonly steered: string[] = [];
  openCommands = 0;
  openCalls = 0;
  /** What it is said to do. */
  doing: readonly UnderWay[] = [];
  readonly #script: ScriptedRun;
  readonly #stage: Stage;
  #signAt: Instant;
  #thread: ThreadId | null = null;
  #turn: TurnId | null = null;
  #begun = false;
  #turns = 0;
  #stopped: { readonly why: Failure | null } | null = null;
  #exited = false;

  constructor(spec: AgentSpec, script: ScriptedRun, stage: Stage) {
    this.spec = spec;
    this.#script = script;
    this.#stage = stage;
    this.#signAt = stage.clock();
    queueMicrotask(() => this.#launch());
  }

  get exited(): boolean {
    return this.#exited;
  }

  /** Whether a turn is under way. */
  get isBusy(): boolean {
    return this.#turn !== null;
  }

  turn(text: string): void {
    if (this.#stopped !== null || this.#thread === null || this.#turn !== null) return;
    this.texts.push(text);
    this.#signAt = this.#stage.clock();
    const plan = this.#script.turns?.[this.#turns++] ?? "hold";
    const id = turnId(`turn-${this.#stage.number}-${this.#turns}`);
    this.#turn = id;
    this.#begun = false;
    queueMicrotask(() => {
      if (this.#turn !== id) return;
      this.#begun = true;
      this.#tell({ type: "turn_started", turnId: id });
      if (plan !== "hold" && this.#stopped === null) this.finish(plan);
    });
  }

  steer(text: string): Promise<boolean> {
    const takes = this.#begun && this.#turn !== null && this.#stopped === null;
    if (takes) this.steered.push(text);
    return Promise.resolve(takes);
  }

  stop(why: Failure | null): void {
    if (this.#stopped !== null || this.#exited) return;
    this.#stopped = { why };
    queueMicrotask(() => {
      this.#endTurn("interrupted", why ?? failure("turn_cancelled", "The turn was interrupted."), null);
      this.#exit(why);
    });
  }

  pulse(): Pulse {
    return { signAt: this.#signAt, openCommands: this.openCommands, openCalls: this.openCalls };
  }

  underWay(): readonly UnderWay[] {
    return this.doing;
  }

  /** Ends the turn under way. For tests whose script says `hold`. */
  finish({ status, failure: why, message, tokens, facts }: ScriptedTurn): void {
    if (this.#turn === null || this.#thread === null) return;
    for (const fact of facts ?? []) this.say(fact);
    if (tokens !== undefined) this.#use(this.#thread, tokens);
    const reason = status === "completed" ? null : (why ?? failure("turn_failed", "scripted failure"));
    this.#endTurn(status, reason, message ?? null);
  }

  /** The process dies. */
  crash(why: Failure = failure("port_exit", "scripted crash")): void {
    this.#stopped ??= { why };
    this.#endTurn("failed", why, null);
    this.#exit(this.#stopped.why);
  }

  /** A fact, and with it a sign of life. */
  say(fact: FactBody): void {
    this.#signAt = this.#stage.clock();
    this.#tell({ type: "fact", fact });
  }

  #launch(): void {
    this.#tell({ type: "launched", pid: FIRST_PID + this.#stage.number, startTicks: this.#stage.number });
    if (this.#stopped !== null) return;
    if (this.#script.fails !== undefined) return this.crash(this.#script.fails);
    queueMicrotask(() => this.#open());
  }

  #open(): void {
    if (this.#stopped !== null) return;
    const { resume } = this.spec;
    const resumed = resume !== null && this.#script.forgets !== true;
    this.#thread = resumed ? resume : threadId(`thread-${this.#stage.number}`);
    const why = resume !== null && !resumed ? `thread ${resume} could not be resumed: scripted` : null;
    this.#tell({ type: "opened", threadId: this.#thread, resumed, why });
  }

  #use(thread: ThreadId, tokens: Tokens): void {
    const total = addTokens(this.#stage.totals.get(thread) ?? noTokens, tokens);
    this.#stage.totals.set(thread, total);
    this.#tell({ type: "usage", threadId: thread, total });
  }

  #endTurn(status: ScriptedTurn["status"], why: Failure | null, message: string | null): void {
    const id = this.#turn;
    if (id === null) return;
    this.#turn = null;
    this.#tell({ type: "turn_ended", turnId: this.#begun ? id : null, status, failure: why, message });
  }

  #exit(why: Failure | null): void {
    if (this.#exited) return;
    this.#tell({ type: "exited", failure: why });
    this.#exited = true;
  }

  #tell(news: AgentNews): void {
    if (!this.#exited) this.#stage.report(news);
  }
}
