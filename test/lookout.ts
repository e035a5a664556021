/** Waits for something that comes with news. Whoever hears the news says so; between news nobody looks. */
export class Lookout {
  readonly #maxMs: number;
  readonly #lastHeard: () => string;
  readonly #looks = new Set<() => void>();

  /** A wait that takes longer than `maxMs` has found a fault; `lastHeard` are the words that help to see which. */
  constructor(maxMs: number, lastHeard: () => string) {
    this.#maxMs = maxMs;
    this.#lastHeard = lastHeard;
  }

  /** There was news. */
  tell(): void {
    for (const look of this.#looks) look();
  }

  /** What `find` finds, now or after some news; `what` names it for the failure. */
  async until<T>(find: () => T | undefined, what: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = (): void => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    const late = (): void =>
      reject(new Error(`no ${what} within ${this.#maxMs} ms; last heard: ${this.#lastHeard()}`));
    const timer = setTimeout(late, this.#maxMs);
    this.#looks.add(look);
    try {
      look();
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#looks.delete(look);
    }
  }
}
