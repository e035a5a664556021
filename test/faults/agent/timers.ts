/**
 * Timers that ring when told to. While installed, they stand in for `setTimeout` of the whole process: sessions make
 * their timeouts with it, and an hour of silence must not take one.
 */
interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

export class VirtualTimers {
  /** Milliseconds since the epoch, as sessions are told. */
  now = Date.UTC(2030, 0, 1);
  readonly #timers = new Map<number, Timer>();
  #lastId = 0;

  /** Timers that have yet to ring. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Puts them in the place of the real ones; what is returned puts those back. */
  install(): () => void {
    const real = { setTimeout, clearTimeout };
    const set = (ring: () => void, ms = 0): number => {
      this.#timers.set((this.#lastId += 1), { at: this.now + Math.max(0, ms), ring });
      return this.#lastId;
    };
    const clear = (id: number | undefined): void => void this.#timers.delete(id ?? 0);
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    return () => void Object.assign(globalThis, real);
  }

  /** Lets so much time pass; what is due rings in its order. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (let next = this.#next(until); next !== null; next = this.#next(until)) {
      const [id, { at, ring }] = next;
      this.#timers.delete(id);
      this.now = at;
      ring();
    }
    this.now = until;
  }

  clear(): void {
    this.#timers.clear();
  }

  #next(until: number): readonly [number, Timer] | null {
    let found: readonly [number, Timer] | null = null;
    for (const entry of this.#timers) {
      if (entry[1].at <= until && (found === null || entry[1].at < found[1].at)) found = entry;
    }
    return found;
  }
}
