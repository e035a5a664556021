/**
 * Who is there. One for the whole daemon: all runs look through it, so that a process is read once and not once for
 * each run, and an environment once in the life of its program.
 *
 * What is read is kept for a second at most. Meanwhile a look lists the numbers and reads those that are new. So what
 * may be old is a parent that has died since (the one that is known says more), and, where numbers come round within a
 * second, a number that is another's by now: nobody is ended before his start time was read again (`living`).
 *
 * An environment is not asked for its reader's age: whoever was there before an agent has been read before, once.
 */
import type { Identity, Listing, Processes } from "./port.ts";

/** What is known is read again after this. */
const KEPT_MAX_MS = 1_000;

interface Environment {
  readonly start: number;
  readonly program: string;
  /** With the NUL at their end; only those under names that somebody has asked for. */
  readonly entries: readonly string[];
}

const nobody: Listing = new Map();

export class Census {
  readonly #system: Processes;
  readonly #now: () => number;
  #listing: Listing = nobody;
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #environments = new Map<number, Environment>();
  /** Names of variables that were ever asked for: a few, however many values they have. */
  readonly #names = new Set<string>();
  #bootId: string | null | undefined;

  constructor(system: Processes, now: () => number = () => performance.now()) {
    this.#system = system;
    this.#now = now;
  }

  get source(): Processes["source"] {
    return this.#system.source;
  }

  /** Those that live now. */
  look(): Sight {
    const isOld = this.#now() - this.#readAt >= KEPT_MAX_MS;
    const known = isOld ? nobody : this.#listing;
    if (isOld) this.#readAt = this.#now();
    this.#listing = this.#system.list(known);
    return new Sight(this.#listing, known, (names) => this.#entriesUnder(names));
  }

  /** When the process of this number began; null when none lives. Read now. */
  startOf(pid: number): number | null {
    return this.#system.read([pid]).get(pid)?.start ?? null;
  }

  /** Those of these that live, read now, or since `sight` began. */
  living(these: readonly Identity[], sight: Sight): readonly Identity[] {
    const doubtful = these.flatMap(({ pid }) => (sight.wasRead(pid) ? [] : [pid]));
    const read = doubtful.length > 0 ? this.#system.read(doubtful) : nobody;
    return these.filter(({ pid, start }) => (read.get(pid) ?? sight.read(pid))?.start === start);
  }

  /** Which boot of this machine we are in. */
  bootId(): string | null {
    if (this.#bootId === undefined) this.#bootId = this.#system.bootId();
    return this.#bootId;
  }

  /** How many processes were ended for want of memory since boot. */
  oomKills(): number {
    return this.#system.oomKills();
  }

  /** Entries of all in the listing, by pid. */
  #entriesUnder(names: readonly string[]): Environments {
    const [kept, known] = [this.#environments, this.#names.size];
    for (const name of names) this.#names.add(name);
    if (this.#names.size > known) kept.clear();
    const unread = [...this.#listing.values()].filter(({ pid, start, program }) => {
      const one = kept.get(pid);
      // On its way out it has no environment any more; what it had tells whose it was.
      return one?.start !== start || (one.program !== program && program !== "");
    });
    const found = unread.length > 0 ? this.#system.environments(unread, this.#names) : nobodys;
    for (const { pid, start, program } of unread) {
      const entries = found.get(pid);
      if (entries === undefined) kept.delete(pid);
      else kept.set(pid, { start, program, entries });
    }
    for (const pid of kept.keys()) if (!this.#listing.has(pid)) kept.delete(pid);
    return { known: kept, areComplete: found.size === unread.length };
  }
}

interface Environments {
  readonly known: ReadonlyMap<number, Environment>;
  /** False while there are some of which nothing is known yet. */
  readonly areComplete: boolean;
}

const nobodys: ReadonlyMap<number, readonly string[]> = new Map();

/** What one look has seen. Some may have died up to a second ago: whoever ends them asks first who is living. */
export class Sight {
  readonly #listing: Listing;
  readonly #before: Listing;
  readonly #entries: (names: readonly string[]) => Environments;
  #sawAll = true;

  constructor(listing: Listing, before: Listing, entries: (names: readonly string[]) => Environments) {
    this.#listing = listing;
    this.#before = before;
    this.#entries = entries;
  }

  /** Null when there is no such process. */
  identity(pid: number): Identity | null {
    return this.#listing.get(pid) ?? null;
  }

  /** Whether it was read for this look, and not known from one before. */
  wasRead(pid: number): boolean {
    const seen = this.#listing.get(pid);
    return seen !== undefined && seen !== this.#before.get(pid);
  }

  /** What was read of it for this look; null when that is nothing. */
  read(pid: number): Identity | null {
    return this.wasRead(pid) ? this.identity(pid) : null;
  }

  /** Pids of those whose environment has an entry that begins with one of these, without this process. */
  carriers(beginnings: readonly string[]): readonly number[] {
    const { known, areComplete } = this.#entries(beginnings.map((one) => one.slice(0, one.indexOf("="))));
    if (!areComplete) this.#sawAll = false;
    const found: number[] = [];
    for (const [pid, { entries }] of known)
      if (pid !== process.pid && entries.some((entry) => beginnings.some((one) => entry.startsWith(one))))
        found.push(pid);
    return found;
  }

  /** False when some of those who were looked for by their environment may carry it and could not be read yet. */
  get sawAll(): boolean {
    return this.#sawAll;
  }

  /** These processes and all that hang on them: their children, and theirs. */
  withDescendants(pids: readonly number[]): readonly number[] {
    const found = new Set(pids);
    let before = -1;
    while (found.size > before) {
      before = found.size;
      for (const [pid, { parent }] of this.#listing) if (found.has(parent)) found.add(pid);
    }
    return [...found];
  }

  /** Pids of a process group. */
  membersOf(group: number): readonly number[] {
    return [...this.#listing.values()].flatMap((one) => (one.group === group ? [one.pid] : []));
  }

  /** This process, and those it was started by. */
  ownAncestors(): ReadonlySet<number> {
    const found = new Set<number>();
    for (let pid = process.pid; pid > 0 && !found.has(pid); pid = this.#listing.get(pid)?.parent ?? 0)
      found.add(pid);
    return found;
  }
}

/** What only the entry itself begins with, and not a longer one. */
export const wholeEntry = (mark: string): string => `${mark}\0`;
