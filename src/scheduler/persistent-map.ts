/**
 * A map that is never changed but made anew, so that a step which is not written down has not happened. Making one costs
 * hardly more with a hundred thousand entries than with ten: they lie on shelves, and a change copies one shelf.
 */

/** Enough that a shelf of a hundred thousand entries is copied in microseconds, few enough to copy the list of shelves. */
const SHELVES = 256;

type Shelf<K, V> = ReadonlyMap<K, V> | undefined;

export class PersistentMap<K extends string, V> {
  /** One that nothing lies on is left out. */
  readonly #shelves: readonly Shelf<K, V>[];
  readonly size: number;

  private constructor(shelves: readonly Shelf<K, V>[], size: number) {
    this.#shelves = shelves;
    this.size = size;
  }

  static of<K extends string, V>(entries: Iterable<readonly [K, V]>): PersistentMap<K, V> {
    const shelves = Array.from({ length: SHELVES }, (): Map<K, V> | undefined => undefined);
    for (const [key, value] of entries) {
      const shelf = (shelves[shelfOf(key)] ??= new Map());
      shelf.set(key, value);
    }
    return new PersistentMap<K, V>(
      shelves,
      shelves.reduce((size, shelf) => size + (shelf?.size ?? 0), 0),
    );
  }

  get(key: K): V | undefined {
    return this.#shelves[shelfOf(key)]?.get(key);
  }

  has(key: K): boolean {
    return this.#shelves[shelfOf(key)]?.has(key) === true;
  }

  /** The same with this entry. */
  with(key: K, value: V): PersistentMap<K, V> {
    const size = this.has(key) ? this.size : this.size + 1;
    return this.#changed(key, (shelf) => shelf.set(key, value), size);
  }

  /** The same without this key. */
  without(key: K): PersistentMap<K, V> {
    return this.has(key) ? this.#changed(key, (shelf) => shelf.delete(key), this.size - 1) : this;
  }

  *keys(): Generator<K, undefined> {
    for (const shelf of this.#shelves) if (shelf !== undefined) yield* shelf.keys();
    return undefined;
  }

  *values(): Generator<V, undefined> {
    for (const shelf of this.#shelves) if (shelf !== undefined) yield* shelf.values();
    return undefined;
  }

  /** Values that are here and were not in `before`, or not as the same objects. Looks only at shelves that were touched. */
  newSince(before: PersistentMap<K, V>): readonly V[] {
    if (before === this) return [];
    return this.#shelves.flatMap((shelf, n) => {
      const old = before.#shelves[n];
      if (old === shelf || shelf === undefined) return [];
      return [...shelf].filter(([key, value]) => old?.get(key) !== value).map(([, value]) => value);
    });
  }

  #changed(key: K, change: (shelf: Map<K, V>) => void, size: number): PersistentMap<K, V> {
    const n = shelfOf(key);
    const shelf = new Map(this.#shelves[n]);
    change(shelf);
    return new PersistentMap(this.#shelves.with(n, shelf), size);
  }
}

/** FNV-1a: spreads ids that differ in their last characters only, as those of one tracker may. */
function shelfOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < key.length; n += 1) hash = Math.imul(hash ^ key.charCodeAt(n), 0x01000193);
  return (hash ^ (hash >>> 16)) & (SHELVES - 1);
}
