/**
 * The only caller of `decide`: one event at a time; all records of the step in one transaction; only then the rest.
 * Must not know what any effect does.
 */
import type { Fact } from "../domain/fact.ts";
import { instant, type Instant } from "../domain/time.ts";
import { LedgerError } from "../ledger/port.ts";
import { decide, nextDeadline } from "../scheduler/decide.ts";
import type { Effect, LedgerRecord, Work } from "../scheduler/effects.ts";
import type { Event } from "../scheduler/events.ts";
import { violations } from "../scheduler/invariants.ts";
import type { State } from "../scheduler/state.ts";
import type { Alarm, Clock } from "./clock.ts";
import { type Failpoint, passBy } from "./failpoints.ts";

/** An event before the loop has stamped it with the time. */
export type News = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;

export interface LoopParts {
  readonly state: State;
  readonly clock: Clock;
  /** The scheduler; a test may put a broken one in its place to see what notices. */
  readonly decide?: typeof decide;
  /** Writes a step down; on disk when it returns. Throws when it could not, and then has written nothing. */
  readonly commit: (records: readonly LedgerRecord[], facts: readonly Fact[]) => void;
  readonly publish: (fact: Fact) => void;
  readonly run: (work: Work) => void;
  /** A commit failed for good or an invariant broke: going on could start a second agent or lose a record. */
  readonly onFatal: (error: unknown) => void;
  /** A test may end the process at the moments of a step. */
  readonly failpoint?: Failpoint | undefined;
}

/** How soon a step is tried again that the ledger did not take. */
export const RETRY_MS = 1_000;

/** Who asks to stop waits this long for the ledger: what is not written then is taken up at the next start. */
const STOP_PATIENCE_MS = 3_000;

/**
 * Events that are kept meanwhile. Running turns end and no new ones begin, so that hours of a full disk bring less than
 * this; what brings more is not understood.
 */
const WAITING_MAX = 10_000;

export const stuckWords = ({ message, hint }: LedgerError): string =>
  `nothing is begun until the ledger can be written: ${message}. ${hint}`;

const TOO_MANY = `one step has set off more than ${WAITING_MAX} events: this is a fault in baton`;

/** The ledger takes no records for a reason that may pass. */
interface Stuck {
  readonly error: LedgerError;
  readonly since: Instant;
}

export class Loop {
  readonly #parts: LoopParts;
  readonly #decide: typeof decide;
  readonly #alarm: Alarm;
  readonly #waiting: News[] = [];
  #state: State;
  #stepping = false;
  #stuck: Stuck | null = null;
  #dead = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#decide = parts.decide ?? decide;
    this.#state = parts.state;
    this.#alarm = parts.clock.alarm(() => this.#rung());
  }

  get state(): State {
    return this.#state;
  }

  /**
   * Handles the event and everything it sets off before it returns, so what it recorded is on disk then. Called from
   * within a step (an effect that answers at once), the event waits for the end of that step; while the ledger takes no
   * records for a reason that may pass, it waits for the ledger.
   */
  dispatch(news: News): void {
    if (this.#dead) return;
    this.#waiting.push(news);
    if (this.#stuck === null && !this.#stepping) this.#work();
    else if (this.#waiting.length > WAITING_MAX) this.#die(this.#stuck?.error ?? new Error(TOO_MANY));
  }

  /** No more steps: the daemon is down. */
  close(): void {
    this.#dead = true;
    this.#alarm.ringAt(null);
  }

  #rung(): void {
    if (this.#stuck === null) this.dispatch({ type: "woke" });
    else this.#work();
  }

  #work(): void {
    this.#stepping = true;
    try {
      for (let next = this.#waiting[0]; next !== undefined && !this.#dead; next = this.#waiting[0]) {
        this.#step(next);
        this.#waiting.shift();
      }
    } catch (error) {
      if (error instanceof LedgerError && error.mayPass) this.#wait(error);
      else this.#die(error);
    } finally {
      this.#stepping = false;
    }
  }

  /** The step has not happened: nothing of it is written, known or done. It is tried again when the alarm rings. */
  #wait(error: LedgerError): void {
    const { clock, publish } = this.#parts;
    const at = clock.now();
    if (this.#stuck === null) {
      publish({ type: "warning", message: stuckWords(error), at });
    }
    this.#stuck ??= { error, since: at };
    const stopping = this.#waiting.some(({ type }) => type === "stop_requested");
    if (stopping && at - this.#stuck.since >= STOP_PATIENCE_MS) this.#die(error);
    else this.#alarm.ringAt(instant(at + RETRY_MS));
  }

  #die(error: unknown): void {
    this.#dead = true;
    this.#alarm.ringAt(null);
    this.#parts.onFatal(error);
  }

  /** Part of the history once it can be written. */
  #overcome(): readonly Fact[] {
    if (this.#stuck === null) return [];
    const at = this.#parts.clock.now();
    const seconds = Math.round((at - this.#stuck.since) / 1_000);
    const message = `the ledger can be written again; for ${seconds} s nothing was begun: ${this.#stuck.error.message}`;
    return [{ type: "warning", message, at }];
  }

  #step(news: News): void {
    const { clock, commit, publish, run, failpoint } = this.#parts;
    const before = this.#state;
    const at = clock.now();
    const [after, effects] = this.#decide(before, { ...news, at });
    const broken = violations(before, effects, after);
    if (broken.length > 0) throw new Error(`invariant broken by "${news.type}": ${broken.join("; ")}`);
    const records = effects.flatMap(recordOf);
    const facts = [...this.#overcome(), ...effects.flatMap(factOf)];
    if (failpoint !== undefined) passBy(failpoint, effects, "before commit");
    if (records.length + facts.length > 0) commit(records, facts);
    if (failpoint !== undefined) passBy(failpoint, effects, "after commit");
    this.#stuck = null;
    this.#state = after;
    // By the time that was decided by: what fell due while the step was written down is still to come.
    this.#alarm.ringAt(nextDeadline(after, at));
    for (const fact of facts) publish(fact);
    for (const effect of effects) {
      if (effect.type !== "record" && effect.type !== "fact") run(effect);
    }
    // Of work its runner knows when it is done.
    if (failpoint !== undefined) passBy(failpoint, effects.filter(isRecord), "after effect");
  }
}

const recordOf = (effect: Effect): readonly LedgerRecord[] =>
  effect.type === "record" ? [effect.record] : [];

const isRecord = (effect: Effect): boolean => effect.type === "record";

const factOf = (effect: Effect): readonly Fact[] => (effect.type === "fact" ? [effect.fact] : []);
