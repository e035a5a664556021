/**
 * The only caller of `decide`: one event at a time; all records of the step in one transaction; only then the rest.
 * Must not know what any effect does.
 */
import type { Fact } from "../domain/fact.ts";
import { decide, nextDeadline } from "../scheduler/decide.ts";
import type { Effect, LedgerRecord, Work } from "../scheduler/effects.ts";
import type { Event } from "../scheduler/events.ts";
import { violations } from "../scheduler/invariants.ts";
import type { State } from "../scheduler/state.ts";
import type { Alarm, Clock } from "./clock.ts";

/** An event before the loop has stamped it with the time. */
export type News = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;

export interface LoopParts {
  readonly state: State;
  readonly clock: Clock;
  /** The scheduler; a test may put a broken one in its place to see what notices. */
  readonly decide?: typeof decide;
  /** Writes a step down; on disk when it returns. Throws when it could not. */
  readonly commit: (records: readonly LedgerRecord[], facts: readonly Fact[]) => void;
  readonly publish: (fact: Fact) => void;
  readonly run: (work: Work) => void;
  /** A commit failed or an invariant broke: going on could start a second agent or lose a record. */
  readonly onFatal: (error: unknown) => void;
}

export class Loop {
  readonly #parts: LoopParts;
  readonly #decide: typeof decide;
  readonly #alarm: Alarm;
  readonly #waiting: News[] = [];
  #state: State;
  #stepping = false;
  #dead = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#decide = parts.decide ?? decide;
    this.#state = parts.state;
    this.#alarm = parts.clock.alarm(() => this.dispatch({ type: "woke" }));
  }

  get state(): State {
    return this.#state;
  }

  /**
   * Handles the event and everything it sets off before it returns, so what it recorded is on disk then. Called from
   * within a step (an effect that answers at once), the event waits for the end of that step.
   */
  dispatch(news: News): void {
    if (this.#dead) return;
    this.#waiting.push(news);
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
        this.#step(next);
    } catch (error) {
      this.#dead = true;
      this.#alarm.ringAt(null);
      this.#parts.onFatal(error);
    } finally {
      this.#stepping = false;
    }
  }

  /** No more steps: the daemon is down. */
  close(): void {
    this.#dead = true;
    this.#alarm.ringAt(null);
  }

  #step(news: News): void {
    const { clock, commit, publish, run } = this.#parts;
    const before = this.#state;
    const [after, effects] = this.#decide(before, { ...news, at: clock.now() });
    const broken = violations(before, effects, after);
    if (broken.length > 0) throw new Error(`invariant broken by "${news.type}": ${broken.join("; ")}`);
    const records = effects.flatMap(recordOf);
    const facts = effects.flatMap(factOf);
    if (records.length + facts.length > 0) commit(records, facts);
    this.#state = after;
    this.#alarm.ringAt(nextDeadline(after, clock.now()));
    for (const fact of facts) publish(fact);
    for (const effect of effects) {
      if (effect.type !== "record" && effect.type !== "fact") run(effect);
    }
  }
}

const recordOf = (effect: Effect): readonly LedgerRecord[] =>
  effect.type === "record" ? [effect.record] : [];

const factOf = (effect: Effect): readonly Fact[] => (effect.type === "fact" ? [effect.fact] : []);
