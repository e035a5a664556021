/** A clock moved by hand: alarms ring, in order, when time is moved past them. */
import { instant, type Instant } from "../../../src/domain/time.ts";
import type { Alarm, Clock } from "../../../src/daemon/clock.ts";

export class HandClock implements Clock {
  #now: Instant = instant(1_700_000_000_000);
  readonly #alarms: { at: Instant | null; readonly ring: () => void }[] = [];

  now(): Instant {
    return this.#now;
  }

  alarm(ring: () => void): Alarm {
    const alarm: { at: Instant | null; readonly ring: () => void } = { at: null, ring };
    this.#alarms.push(alarm);
    return {
      ringAt: (at) => {
        alarm.at = at;
      },
    };
  }

  /** When the next alarm rings; null = none is set. */
  next(): Instant | null {
    const set = this.#alarms.flatMap(({ at }) => (at === null ? [] : [at]));
    return set.length === 0 ? null : instant(Math.min(...set));
  }

  pass(ms: number): void {
    const end = instant(this.#now + ms);
    for (let next = this.next(); next !== null && next <= end; next = this.next()) {
      this.#now = next > this.#now ? next : this.#now;
      for (const alarm of this.#alarms.filter(({ at }) => at !== null && at <= this.#now)) {
        alarm.at = null;
        alarm.ring();
      }
    }
    this.#now = end;
  }
}
