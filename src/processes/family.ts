/**
 * Processes that belong together: those that `find` finds, and all that hang on them. What was once seen to belong is
 * known from then on by pid and start time, so that it is still found when its parent is gone and it has been handed to
 * another. A process that cleaned its environment and was handed on before anybody looked is not found.
 */
import type { Census, Sight } from "./census.ts";
import { killQuietly } from "./kill.ts";
import type { Identity } from "./port.ts";

export interface FamilyOptions {
  readonly census: Census;
  /** Pids of those that surely belong. */
  readonly find: (sight: Sight) => readonly number[];
  /** Never of the family, though they may be found. */
  readonly spared?: ReadonlySet<number>;
}

export class Family {
  readonly #census: Census;
  readonly #find: FamilyOptions["find"];
  readonly #spared: ReadonlySet<number>;
  /** Those alive at the last look, by pid. */
  #known: ReadonlyMap<number, Identity> = new Map();
  #count = 0;
  #sawAll = true;

  constructor({ census, find, spared = new Set() }: FamilyOptions) {
    this.#census = census;
    this.#find = find;
    this.#spared = spared;
  }

  /** How many were ever found. */
  get count(): number {
    return this.#count;
  }

  /**
   * Whether the last look could tell of everybody: a process that is just becoming another program shows no environment
   * for that moment, and one that belongs is not found by it.
   */
  get sawAll(): boolean {
    return this.#sawAll;
  }

  /** Those alive now, the ones that came since the last look among them. */
  look(): readonly number[] {
    const sight = this.#census.look();
    const known = [...this.#known.values()].filter(({ pid, start }) => sight.identity(pid)?.start === start);
    const found = [...this.#find(sight), ...known.map(({ pid }) => pid)].filter(
      (pid) => !this.#spared.has(pid),
    );
    this.#sawAll = sight.sawAll;
    const all = found.length === 0 ? [] : sight.withDescendants(found);
    const identities = all.flatMap((pid) => (this.#spared.has(pid) ? [] : (sight.identity(pid) ?? [])));
    // Killed for what they are: a number that came round since the last look is another's.
    const alive = identities.length === 0 ? [] : this.#census.living(identities, sight);
    for (const { pid, start } of alive) if (this.#known.get(pid)?.start !== start) this.#count++;
    this.#known = new Map(alive.map((one) => [one.pid, one]));
    return alive.map(({ pid }) => pid);
  }

  /** Those alive now, who are killed. */
  kill(): readonly number[] {
    const pids = this.look();
    for (const pid of pids) killQuietly(pid, "SIGKILL");
    return pids;
  }
}
