/**
 * Processes that belong together: those that `find` finds, and all that hang on them. What was once seen to belong is
 * known from then on by pid and start time, so that it is still found when its parent is gone and it has been handed to
 * another. Who cleaned its environment and was handed on before anybody looked is not found.
 */
import { killQuietly, startTicks, withDescendants } from "./proc.ts";

export class Family {
  readonly #find: () => readonly number[];
  readonly #spared: ReadonlySet<number>;
  /** Start ticks by pid. */
  readonly #known = new Map<number, number>();

  /** `spared` are never of the family, though they may be found. */
  constructor(find: () => readonly number[], spared: ReadonlySet<number> = new Set()) {
    this.#find = find;
    this.#spared = spared;
  }

  /** How many were ever found. */
  get count(): number {
    return this.#known.size;
  }

  /** Those alive now, the ones that came since the last look among them. */
  look(): readonly number[] {
    const found = [...this.#find(), ...this.#alive()].filter((pid) => !this.#spared.has(pid));
    if (found.length === 0) return [];
    for (const pid of withDescendants(found)) {
      const ticks = startTicks(pid);
      if (ticks !== null && !this.#spared.has(pid)) this.#known.set(pid, ticks);
    }
    return this.#alive();
  }

  /** Kills those alive now and says how many there were. */
  kill(): number {
    const pids = this.look();
    for (const pid of pids) killQuietly(pid, "SIGKILL");
    return pids.length;
  }

  #alive(): readonly number[] {
    return [...this.#known].flatMap(([pid, ticks]) => (startTicks(pid) === ticks ? [pid] : []));
  }
}
