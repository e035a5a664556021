/**
 * One run as the daemon has it, without the daemon: the real scheduler decides, a real session does, and what the
 * session tells goes back. Time for the scheduler passes only when it is told to.
 */
import type { Agent, AgentNews, AgentSession, AgentSpec } from "../../../src/agent/port.ts";
import type { Failure } from "../../../src/domain/failure.ts";
import type { Claim } from "../../../src/scheduler/state.ts";
import { Bench, madeIssue, madePolicy } from "../../unit/scheduler/made.ts";

export const SILENCE_MS = 60_000;

export class BenchRun {
  readonly #bench = new Bench(madePolicy({ silenceMaxMs: SILENCE_MS }));
  readonly #issue = madeIssue("A-1");
  readonly #agent: Agent;
  readonly #spec: AgentSpec;
  readonly #moments = {
    launched: Promise.withResolvers<number>(),
    turn: Promise.withResolvers<void>(),
    exited: Promise.withResolvers<Failure | null>(),
  };
  #session: AgentSession | null = null;

  constructor(agent: (clock: () => Bench["now"]) => Agent, spec: AgentSpec) {
    this.#agent = agent(() => this.#bench.now);
    this.#spec = spec;
    this.#bench.scan(this.#issue);
    this.#work();
  }

  /** The pid of the agent. */
  get launched(): Promise<number> {
    return this.#moments.launched.promise;
  }

  get inTurn(): Promise<void> {
    return this.#moments.turn.promise;
  }

  get exited(): Promise<Failure | null> {
    return this.#moments.exited.promise;
  }

  /** What became of the issue. */
  get claim(): Claim | undefined {
    return this.#bench.claim(this.#issue);
  }

  get now(): number {
    return this.#bench.now;
  }

  /** Lets so much time pass, as far as the scheduler knows. */
  pass(ms: number): void {
    this.#bench.pass(ms);
    this.#work();
  }

  #work(): void {
    const bench = this.#bench;
    if (bench.take("start").length > 0)
      this.#session = this.#agent.start(this.#spec, (news) => this.#heard(news));
    for (const { why } of bench.take("stop")) this.#session?.stop(why);
    for (const _ of bench.take("turn")) this.#session?.turn("Do it.");
    for (const _ of bench.take("pulse")) {
      const pulse = this.#session?.pulse();
      if (pulse !== undefined) bench.say({ ...bench.run(this.#issue), type: "pulse", ...pulse });
      for (const { why } of bench.take("stop")) this.#session?.stop(why);
    }
  }

  #heard(news: AgentNews): void {
    const of = (): ReturnType<Bench["run"]> => this.#bench.run(this.#issue);
    switch (news.type) {
      case "launched":
        this.#bench.say({ ...of(), ...news, bootId: null, workspace: this.#spec.workspace });
        this.#moments.launched.resolve(news.pid);
        break;
      case "opened":
      case "turn_ended":
      case "usage":
        this.#bench.say({ ...of(), ...news });
        break;
      case "turn_started":
        this.#bench.say({ ...of(), ...news });
        this.#moments.turn.resolve();
        break;
      case "exited":
        this.#bench.say({ ...of(), ...news, changed: null });
        this.#moments.exited.resolve(news.failure);
        break;
      case "fact":
    }
    this.#work();
  }
}
