/**
 * The only caller of `decide`: one event at a time; records before facts before work. A step that sets nothing going and
 * answers nobody may wait a moment, so that several are written in one transaction: until then it is known here alone,
 * and has not happened when the process ends. Must not know what any work does.
 */
import { after, earlier, type Fact, instant, type Instant, later } from "../domain/domain.ts";
import { LedgerError } from "../ledger/ledger.ts";
import {
  decide,
  type Decision,
  type LedgerRecord,
  type News,
  nextDeadline,
  type State,
  violations,
  type Work,
} from "../scheduler/scheduler.ts";
import type { Alarm, Clock } from "./clock.ts";
import { type Failpoint, passBy } from "./failpoints.ts";
import { fold, stillTrue } from "./kept-news.ts";

export interface LoopParts {
  readonly state: State;
  readonly clock: Clock;
  /** The scheduler; a test may put a broken one in its place to see what notices. */
  readonly decide?: typeof decide;
  /** Writes a step down; on disk when it returns. Throws when it could not, and then has written nothing. */
  readonly commit: (records: readonly LedgerRecord[], facts: readonly Fact[]) => void;
  readonly publish: (fact: Fact) => void;
  /** Tells a fact that is no step's; it may be written later than what is committed after it. */
  readonly tell: (fact: Fact) => void;
  readonly run: (work: Work) => void;
  /** A commit failed for good or an invariant broke: going on could start a second agent or lose a record. */
  readonly onFatal: (error: unknown) => void;
  /** A test may end the process at the moments of a step. */
  readonly failpoint?: Failpoint | undefined;
}

/** How soon a step is tried again that the ledger did not take. */
export const RETRY_MS = 1_000;

/**
 * How long a step waits for the next commit at most. A write to the disk costs more CPU than most decisions; nobody outside
 * can tell whether a step with nothing to do outside is 20 ms old, and what a kill takes is no more than that.
 */
export const TOGETHER_MS = 20;

/** So many steps, or facts told meanwhile, are not kept waiting: a flood is no reason to hold more in memory. */
const TOGETHER_MAX = 200;

/**
 * Records that somebody waits for: who gave the order reads its answer, and an agent gets its first request only when its
 * process can be found again.
 */
const AWAITED: ReadonlySet<LedgerRecord["type"]> = new Set(["order_done", "run_launched"]);

/** Who asks to stop waits this long for the ledger: what is not written then is taken up at the next start. */
const STOP_PATIENCE_MS = 3_000;

/**
 * Events that are kept meanwhile. Running turns end and no new ones begin, so hours of a full disk bring fewer than
 * this. More of them come from a fault that nobody has foreseen, and the daemon stops.
 */
const WAITING_MAX = 10_000;

export const stuckWords = ({ message, hint }: LedgerError): string =>
  `nothing is begun until the ledger can be written: ${message}. ${hint}`;

/** Of so many steps one is held against the invariants with all there is, which thousands of claims make dear. */
const WHOLE_LOOK_EVERY = 1_000;

const TOO_MANY = `one step has set off more than ${WAITING_MAX} events: this is a fault in baton`;

/** News, and when the loop heard it: while the ledger takes nothing it may wait for hours. */
interface Heard {
  readonly news: News;
  readonly at: Instant;
}

/** Steps that are decided and not written down. */
interface Unwritten {
  /** What was decided on, in order: it is decided on again when the ledger does not take it. */
  readonly news: readonly Heard[];
  readonly records: readonly LedgerRecord[];
  readonly facts: readonly Fact[];
  /** Those of the facts that are no step's. */
  readonly told: readonly Fact[];
  /** Null = there are none. */
  readonly writeBy: Instant | null;
}

const NONE: Unwritten = { news: [], records: [], facts: [], told: [], writeBy: null };

/** The ledger takes no records for a reason that may pass. */
interface Stuck {
  readonly error: LedgerError;
  readonly since: Instant;
}

export class Loop {
  readonly #parts: LoopParts;
  readonly #decide: typeof decide;
  readonly #alarm: Alarm;
  readonly #waiting: Heard[] = [];
  /** As decided; what is unwritten is in it. */
  #state: State;
  /** As written down. */
  #written: State;
  #unwritten: Unwritten = NONE;
  /** When something of the state is due. */
  #dueAt: Instant | null = null;
  #stepping = false;
  #stuck: Stuck | null = null;
  #steps = 0;
  #dead = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#decide = parts.decide ?? decide;
    this.#state = parts.state;
    this.#written = parts.state;
    this.#alarm = parts.clock.alarm(() => this.#rung());
  }

  get state(): State {
    return this.#state;
  }

  /** Why the ledger takes no records just now; null = it does. */
  get stuck(): string | null {
    return this.#stuck?.error.message ?? null;
  }

  /**
   * Handles the event and everything it sets off before it returns; whoever waits for an answer finds it on disk then, and
   * so does what was set going. Called from within a step (work that answers at once), the event waits for the end of that
   * step; while the ledger takes no records for a reason that may pass, it waits for the ledger.
   */
  dispatch(news: News): void {
    if (this.#dead) return;
    if (this.#stuck !== null) fold(this.#waiting, news);
    this.#waiting.push({ news, at: this.#parts.clock.now() });
    if (this.#stuck === null && !this.#stepping) this.#work();
    else if (this.#waiting.length > WAITING_MAX) this.die(this.#stuck?.error ?? new Error(TOO_MANY));
  }

  /** Tells a fact that is no step's, after all that was decided before it. */
  tell(fact: Fact): void {
    const { facts, told, writeBy } = this.#unwritten;
    if (writeBy === null || this.#dead) return this.#parts.tell(fact);
    this.#unwritten = { ...this.#unwritten, facts: [...facts, fact], told: [...told, fact] };
    if (facts.length >= TOGETHER_MAX) this.flush();
  }

  /** Writes down what is decided. While the ledger takes no records, it goes on waiting. */
  flush(): void {
    if (this.#unwritten.writeBy !== null && !this.#dead) this.#guarded(() => void this.#write([]));
  }

  /**
   * No more steps: the daemon is down, and what was decided is written. What waits for a ledger that takes no records has
   * not happened. @throws LedgerError: what was decided last could not be written, and nobody was told of it.
   */
  close(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#alarm.ringAt(null);
    const { records, facts, writeBy } = this.#unwritten;
    if (writeBy === null) return;
    this.#parts.commit(records, facts);
    for (const fact of facts) this.#parts.publish(fact);
  }

  /** No more steps, as if the process ended here: what is not written has not happened. */
  abandon(): void {
    this.#dead = true;
    this.#alarm.ringAt(null);
  }

  /** The same after an error that nobody foresaw; what was told happened all the same, and is still told. */
  die(error: unknown): void {
    const { told } = this.#unwritten;
    this.abandon();
    for (const fact of told) this.#parts.tell(fact);
    this.#parts.onFatal(error);
  }

  #rung(): void {
    if (this.#stuck !== null) return this.#work();
    const now = this.#parts.clock.now();
    if (isOver(this.#dueAt, now)) this.dispatch({ type: "woke" });
    if (isOver(this.#unwritten.writeBy, now)) this.flush();
    this.#setAlarm();
  }

  #work(): void {
    this.#guarded(() => {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        if (!this.#step(next) || this.#dead) return;
      }
    });
  }

  /** What is done here is not interrupted by other steps, and what it throws is the end. */
  #guarded(act: () => void): void {
    this.#stepping = true;
    try {
      act();
    } catch (error) {
      this.die(error);
    } finally {
      this.#stepping = false;
    }
  }

  #setAlarm(): void {
    if (!this.#dead && this.#stuck === null)
      this.#alarm.ringAt(earlier(this.#dueAt, this.#unwritten.writeBy));
  }

  /** After a start, and every so often, at all there is: a step may break what it has not touched. */
  #looked(): Parameters<typeof violations>[2] {
    this.#steps += 1;
    return this.#steps % WHOLE_LOOK_EVERY === 1 ? "at all" : "at what was touched";
  }

  /** False when the ledger does not take it. */
  #step(heard: Heard): boolean {
    const at = this.#parts.clock.now();
    const before = this.#state;
    const news = stillTrue(heard, at);
    const decision = this.#decide(before, { ...news, at });
    const broken = violations(before, decision, this.#looked());
    if (broken.length > 0) throw new Error(`invariant broken by "${news.type}": ${broken.join("; ")}`);
    this.#state = decision.state;
    // Seen from the time that the step was decided with: what fell due while it was written down must still ring.
    this.#dueAt = nextDeadline(decision.state, at);
    this.#add(heard, decision, at);
    if (this.#stuck !== null || this.#isPressing(decision)) return this.#write(decision.work);
    this.#setAlarm();
    return true;
  }

  #add(heard: Heard, { records, facts }: Decision, at: Instant): void {
    const sofar = this.#unwritten;
    const hasNothing = records.length + facts.length === 0;
    // What comes after a step that is not written is not true before that one is.
    if (hasNothing && sofar.writeBy === null && this.#stuck === null) {
      this.#written = this.#state;
      return;
    }
    this.#unwritten = {
      news: [...sofar.news, heard],
      records: [...sofar.records, ...records],
      facts: [...sofar.facts, ...facts],
      told: sofar.told,
      writeBy: sofar.writeBy ?? after(at, TOGETHER_MS),
    };
  }

  #isPressing({ records, work }: Decision): boolean {
    return (
      work.length > 0 ||
      records.some(({ type }) => AWAITED.has(type)) ||
      this.#unwritten.news.length >= TOGETHER_MAX
    );
  }

  /** Writes all that is decided; then tells it, and begins the work of the last step. False when the ledger does not take it. */
  #write(work: readonly Work[]): boolean {
    const { commit, publish, run, failpoint } = this.#parts;
    const { records } = this.#unwritten;
    const facts = [...this.#overcome(), ...this.#unwritten.facts];
    if (failpoint !== undefined) passBy(failpoint, { records, work }, "before commit");
    try {
      if (records.length + facts.length > 0) commit(records, facts);
    } catch (error) {
      if (!(error instanceof LedgerError && error.mayPass)) throw error;
      this.#takeBack();
      this.#wait(error);
      return false;
    }
    if (failpoint !== undefined) passBy(failpoint, { records, work }, "after commit");
    this.#stuck = null;
    this.#unwritten = NONE;
    this.#written = this.#state;
    this.#setAlarm();
    for (const fact of facts) publish(fact);
    for (const task of work) run(task);
    // Only for the records: when a piece of work is done, its runner knows, and passes by this point itself.
    if (failpoint !== undefined) passBy(failpoint, { records, work: [] }, "after effect");
    return true;
  }

  /** The unwritten steps have not happened: nothing of them is known or done. They are decided anew, by the time it is then. */
  #takeBack(): void {
    const { news, told } = this.#unwritten;
    this.#state = this.#written;
    this.#unwritten = NONE;
    this.#waiting.unshift(...news);
    for (const fact of told) this.#parts.tell(fact);
  }

  /** Tries again when the alarm rings. */
  #wait(error: LedgerError): void {
    const { clock, publish } = this.#parts;
    const at = clock.now();
    if (this.#stuck === null) {
      publish({ type: "warning", message: stuckWords(error), topic: "ledger", at });
    }
    this.#stuck ??= { error, since: at };
    const giveUpAt = this.#giveUpAt(this.#stuck);
    if (giveUpAt !== null && at >= giveUpAt) this.die(error);
    else this.#alarm.ringAt(instant(at + RETRY_MS));
  }

  /** When whoever has asked to stop has waited long enough for the ledger; null = nobody has. */
  #giveUpAt({ since }: Stuck): Instant | null {
    const asked = this.#waiting.find(({ news }) => news.type === "stop_requested");
    if (asked !== undefined) return after(asked.at, STOP_PATIENCE_MS);
    // Asked, and written down, before the ledger took nothing: the ends of runs are what cannot be written.
    const { stopBy } = this.#state;
    return stopBy === null ? null : later(after(since, STOP_PATIENCE_MS), stopBy);
  }

  /** Part of the history once it can be written. */
  #overcome(): readonly Fact[] {
    if (this.#stuck === null) return [];
    const at = this.#parts.clock.now();
    const seconds = Math.round((at - this.#stuck.since) / 1_000);
    const message = `the ledger can be written again; for ${seconds} s nothing was begun: ${this.#stuck.error.message}`;
    return [{ type: "warning", message, topic: "ledger", over: true, at }];
  }
}

const isOver = (at: Instant | null, now: Instant): boolean => at !== null && at <= now;
