/** A list of news and whoever waits for something in it. */

interface Waiter {
  readonly look: () => void;
  readonly fail: (error: Error) => void;
}

export class Heard<T> {
  readonly all: T[] = [];
  readonly #waiters = new Set<Waiter>();
  #failed: Error | null = null;

  add(news: T): void {
    this.all.push(news);
    for (const waiter of this.#waiters) waiter.look();
  }

  /** Nothing more will come: whoever waits is told why. */
  fail(why: string): void {
    this.#failed = new Error(why);
    for (const waiter of this.#waiters) waiter.fail(this.#failed);
  }

  /** What `find` gives, as soon as it gives something. @throws Error when that takes longer, or cannot come any more */
  async until<R>(what: string, withinMs: number, find: (all: readonly T[]) => R | undefined): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const waiter: Waiter = {
      look: () => {
        const found = find(this.all);
        if (found !== undefined) resolve(found);
      },
      fail: reject,
    };
    const timer = setTimeout(() => reject(new Error(`${what}: not within ${withinMs} ms`)), withinMs);
    this.#waiters.add(waiter);
    waiter.look();
    if (this.#failed !== null) reject(new Error(`${what}: ${this.#failed.message}`));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }
}
