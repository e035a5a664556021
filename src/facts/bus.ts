/**
 * Where facts go: everything that happened is published here once, and log, progress and metrics subscribe. A
 * subscriber that throws or dawdles is named, not followed: it must not hurt the loop, nor the other subscribers.
 */
import type { Fact, Instant } from "../domain/domain.ts";
import type { Redactor } from "./redact.ts";

export type Subscriber = (fact: Fact) => void;

/** Longer than this and the loop is late for its next event; disks and terminals answer in microseconds. */
const SLOW_MS = 250;

/** Facts published by subscribers while a fact is being handed out; more than this is two of them answering each other. */
const WAITING_MAX = 1_000;

interface Seat {
  readonly name: string;
  readonly take: Subscriber;
  /** Facts it has missed since it last took one. */
  missed: number;
  /** Said once for as long as it lasts. */
  slow: boolean;
}

export class Facts {
  readonly #redactor: Redactor;
  readonly #monotonic: () => number;
  readonly #seats = new Set<Seat>();
  readonly #waiting: (readonly [Fact, Seat | null])[] = [];
  #publishing = false;

  /** `monotonic` measures how long subscribers take, in milliseconds. */
  constructor(redactor: Redactor, monotonic: () => number = () => performance.now()) {
    this.#redactor = redactor;
    this.#monotonic = monotonic;
  }

  /** Takes credentials out of a value that goes elsewhere than to subscribers: ledger records, answers. */
  redact<T>(value: T): T {
    return this.#redactor.deep(value);
  }

  /** Hands the fact, without credentials, to everybody, in the order of publishing. Never throws. */
  publish(fact: Fact): void {
    this.#enqueue(this.#redactor.deep(fact), null);
    if (this.#publishing) return;
    this.#publishing = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const [of, except] = next;
      for (const seat of this.#seats) if (seat !== except) this.#hand(of, seat);
    }
    this.#publishing = false;
  }

  /** From now on `take` gets every fact. `name` is how it is called when it fails. Returns the end of it. */
  subscribe(take: Subscriber, name = take.name): () => void {
    const seat: Seat = { name: name === "" ? "a subscriber" : name, take, missed: 0, slow: false };
    this.#seats.add(seat);
    return () => void this.#seats.delete(seat);
  }

  #enqueue(fact: Fact, except: Seat | null): void {
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push([fact, except]);
  }

  #hand(fact: Fact, seat: Seat): void {
    const from = this.#monotonic();
    try {
      seat.take(fact);
    } catch (error) {
      this.#failed(seat, error, fact.at);
      return;
    }
    if (seat.missed > 0) this.#recovered(seat, fact.at);
    const tookMs = this.#monotonic() - from;
    if (tookMs > SLOW_MS && !seat.slow) {
      this.#warn(`${seat.name} is slow: it took ${Math.round(tookMs)} ms for one fact`, seat, fact.at);
    }
    seat.slow = tookMs > SLOW_MS;
  }

  #failed(seat: Seat, error: unknown, at: Instant): void {
    seat.missed += 1;
    if (seat.missed > 1) return;
    const why = error instanceof Error ? error.message : String(error);
    this.#warn(
      `${seat.name} fails and misses facts until it works again: ${this.#redactor.text(why)}`,
      seat,
      at,
    );
  }

  #recovered(seat: Seat, at: Instant): void {
    const { name, missed } = seat;
    seat.missed = 0;
    this.#warn(`${name} works again; it missed ${missed} facts`, null, at);
  }

  /** To the others: who has just failed would only fail again. */
  #warn(message: string, except: Seat | null, at: Instant): void {
    this.#enqueue({ type: "warning", message, at }, except);
  }
}
