/** Changes to maps that can be taken back: a transaction for things in memory. */
export class Journal {
  #undo: (() => void)[] = [];

  /** Runs `work`; when it throws, everything it changed through this journal is as before. */
  allOrNothing(work: () => void): void {
    this.#undo = [];
    try {
      work();
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    } finally {
      this.#undo = [];
    }
  }

  set<K, V>(map: Map<K, V>, key: K, value: V): void {
    this.#remember(map, key);
    map.set(key, value);
  }

  delete<K, V>(map: Map<K, V>, key: K): void {
    this.#remember(map, key);
    map.delete(key);
  }

  #remember<K, V>(map: Map<K, V>, key: K): void {
    const before = map.get(key);
    this.#undo.push(before === undefined ? () => void map.delete(key) : () => void map.set(key, before));
  }
}
