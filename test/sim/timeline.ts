/**
 * Virtual time: what is planned happens in order, and nothing takes time but what says so (`busy`). `at` is the time of the
 * machine while it is awake; the wall clock is apart from it, since it can be wrong and a sleeping machine misses it.
 */
import type { Alarm, Clock } from "../../src/daemon/clock.ts";
import { instant, type Instant } from "../../src/domain/time.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A midnight, so that the days of a world are days of its clock. */
const BEGAN = Date.UTC(2030, 0, 1);

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

export class Timeline {
  /** Milliseconds that the machine has been awake. */
  at = 0;
  /** Milliseconds that the machine has slept through. */
  #slept = 0;
  /** How wrong the machine's wall clock is. */
  wrongBy = 0;
  #ordered = 0;
  /** A binary heap: the next thing first. */
  readonly #heap: Planned[] = [];

  /** True time since the world began. */
  get elapsed(): number {
    return this.at + this.#slept;
  }

  /** What time it really is: what trackers and people go by. */
  get true(): Instant {
    return instant(BEGAN + this.elapsed);
  }

  /** What the machine's wall clock says. */
  get wall(): Instant {
    return instant(this.true + this.wrongBy);
  }

  /** Time goes by in the middle of what is being done: what falls due meanwhile is done late. */
  busy(ms: number): void {
    this.at += ms;
  }

  sleep(ms: number): void {
    this.#slept += ms;
  }

  /** A clock as daemon/clock.ts makes one: the wall clock read once, carried on by the monotonic one. */
  clock(): SimClock {
    return new SimClock(this, this.wall - this.at);
  }

  in(ms: number, act: () => void): void {
    this.#push({ at: this.at + Math.max(0, Math.round(ms)), order: (this.#ordered += 1), act });
  }

  /** Does the next thing that is planned until then; false when there is none, and it is that time. */
  step(until: number): boolean {
    const [next] = this.#heap;
    if (next === undefined || next.at > until) {
      this.at = Math.max(this.at, until);
      return false;
    }
    this.#pop();
    this.at = Math.max(this.at, next.at);
    next.act();
    return true;
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let child = heap.length;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, planned)) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = planned;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let parent = 0;
    for (;;) {
      const left = heap[2 * parent + 1];
      const right = heap[2 * parent + 2];
      const smaller = right !== undefined && left !== undefined && isBefore(right, left) ? 2 : 1;
      const child = smaller === 2 ? right : left;
      if (child === undefined || isBefore(last, child)) break;
      heap[parent] = child;
      parent = 2 * parent + smaller;
    }
    heap[parent] = last;
  }
}

const isBefore = (a: Planned, b: Planned): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** The clock of one daemon; dead when the daemon is. */
export class SimClock implements Clock {
  readonly #timeline: Timeline;
  readonly #origin: number;
  #ring: (() => void) | null = null;
  #asked: Instant | null = null;
  /** Times for which a ring is planned; rings that are not wanted any more find nothing to do. */
  #planned: number | null = null;

  constructor(timeline: Timeline, origin: number) {
    this.#timeline = timeline;
    this.#origin = origin;
  }

  now(): Instant {
    return instant(this.#origin + this.#timeline.at);
  }

  alarm(ring: () => void): Alarm {
    this.#ring = ring;
    return { ringAt: (at) => this.#ringAt(at) };
  }

  /** No more rings: the process is gone. */
  kill(): void {
    this.#ring = null;
    this.#asked = null;
  }

  #ringAt(at: Instant | null): void {
    this.#asked = at;
    if (at !== null && (this.#planned === null || at < this.#planned)) this.#plan(at);
  }

  #plan(at: number): void {
    this.#planned = at;
    this.#timeline.in(at - this.now(), () => this.#due(at));
  }

  #due(planned: number): void {
    if (this.#planned !== planned) return;
    this.#planned = null;
    const asked = this.#asked;
    if (asked === null || this.#ring === null) return;
    if (asked > this.now()) return this.#plan(asked);
    this.#asked = null;
    this.#ring();
  }
}
