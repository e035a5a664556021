/** Numbers that look random and are the same for the same seed on every machine (mulberry32). */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A stream of its own, for a draw that was thought of later: those of the world do not shift. */
  static named(seed: number, name: string): Random {
    let mixed = seed >>> 0;
    for (const letter of name) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    return new Random(mixed);
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** Like `between`, with small numbers as likely as large ones of the next order of magnitude. */
  spread(low: number, high: number): number {
    return Math.round(low * (high / low) ** this.next());
  }

  /** One of these; there must be one. */
  pick<T>(from: readonly [T, ...T[]]): T;
  pick<T>(from: readonly T[]): T | undefined;
  pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.next() * from.length)];
  }
}
