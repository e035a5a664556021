/**
 * One piece of work at a time per name, in the order they were asked for: making and removing one directory must not
 * overlap. Other names are not held up. A wait is as long as the work before it, which has bounds of its own.
 */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when everything asked for earlier under this name is over, whatever came of it. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const over = mine.then(
      () => {},
      () => {},
    );
    this.#last.set(name, over);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === over) this.#last.delete(name);
    }
  }
}
