/**
 * Real time and the single alarm. `now` is the wall clock read once and carried on by the monotonic one, so that a
 * clock set back or forward while we run neither fires nor delays a deadline (C8 of docs/RELIABILITY.md).
 */
import { instant, type Instant } from "../domain/domain.ts";

export interface Clock {
  readonly now: () => Instant;
  /** Calls `ring` once at or soon after the instant last asked for. */
  alarm(ring: () => void): Alarm;
}

export interface Alarm {
  /** Replaces what was asked for before; null = silence. */
  ringAt(at: Instant | null): void;
}

/** Node's timers overflow at 2^31 ms; an alarm further away rings early once an hour, and nothing is due then. */
const NAP_MAX_MS = 60 * 60_000;

export function realClock(): Clock {
  const origin = Date.now() - performance.now();
  const now = (): Instant => instant(origin + performance.now());
  return { now, alarm: (ring) => new RealAlarm(now, ring) };
}

class RealAlarm implements Alarm {
  readonly #now: () => Instant;
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | null = null;
  #at: Instant | null = null;

  constructor(now: () => Instant, ring: () => void) {
    this.#now = now;
    this.#ring = ring;
  }

  ringAt(at: Instant | null): void {
    if (at === this.#at) return;
    this.#at = at;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = at === null ? null : setTimeout(() => this.#rung(), this.#nap(at));
  }

  // One millisecond more: timers may fire a fraction early, and an early ring would find nothing due.
  #nap(at: Instant): number {
    return Math.min(Math.max(at - this.#now(), 0) + 1, NAP_MAX_MS);
  }

  #rung(): void {
    this.#at = null;
    this.#timer = null;
    this.#ring();
  }
}
