/**
 * Merge keys (`<<: *base`) in a front matter: a map that takes in what another one holds. They are no part of YAML 1.2, and
 * people write them in every such file; ignored, they would lose a filter.
 */
import type { Alias, Pair, YAMLMap } from "yaml";
import { isAlias, isCollection, isMap, isNode, isPair, isScalar, isSeq } from "yaml";
import type { YamlError } from "./yaml-errors.ts";

/** A map that takes in maps that take in maps grows with each step; so many values no settings have. */
const MERGED_MAX = 10_000;

/** As many aliases as may be expanded elsewhere (source.ts): the library looks each of them up in the whole text. */
const SOURCES_MAX = 100;

/** Whether this pair takes in another map. The library gives its key a value of its own kind. */
export const isMerge = ({ key }: Pair): boolean => isScalar(key) && typeof key.value === "symbol";

/** The first merge key that cannot be followed, and why; null when there is none. */
export function wrongMerge(contents: unknown): YamlError | null {
  const merges = new Merges();
  merges.weigh(contents);
  return merges.wrong;
}

/** What an anchor stands for. */
interface Anchored {
  readonly isMap: boolean;
  readonly weight: number;
}

class Merges {
  wrong: YamlError | null = null;
  readonly #anchored = new Map<string, Anchored>();
  #sources = 0;

  /** How many values are made of it when all is taken in. Aliases name what stands before them: one walk is enough. */
  weigh(node: unknown): number {
    if (!isCollection(node)) return 1;
    let weight = 1;
    for (const item of node.items) weight += isPair(item) ? this.#ofPair(item) : this.weigh(item);
    if (node.anchor !== undefined) this.#anchored.set(node.anchor, { isMap: isMap(node), weight });
    return weight;
  }

  #ofPair(pair: Pair): number {
    if (!isMerge(pair)) return this.weigh(pair.key) + this.weigh(pair.value);
    const sources = isSeq(pair.value) ? pair.value.items : [pair.value];
    const weight = sources.reduce<number>((sum, source) => sum + this.#ofSource(source), 1);
    this.#sources += sources.length;
    if (weight > MERGED_MAX || this.#sources > SOURCES_MAX)
      this.#refuse(pair.key, "this takes in more than anybody can mean. Write out what is meant.");
    return weight;
  }

  #ofSource(source: unknown): number {
    const found = isAlias(source)
      ? this.#anchored.get(source.source)
      : { isMap: isMap(source), weight: this.weigh(source) };
    // An alias of nothing is told elsewhere.
    if (found?.isMap === false) this.#refuse(source, "what `<<` takes in must be a map, or a list of maps.");
    return found?.weight ?? 1;
  }

  #refuse(node: unknown, text: string): void {
    this.wrong ??= { at: isNode(node) ? (node.range?.[0] ?? 0) : 0, text };
  }
}

/** The pair that gives a map the key of this name: its own, or one that it takes in. */
export function pairOf(map: YAMLMap, name: string, resolve: (alias: Alias) => unknown): Pair | undefined {
  const own = map.items.find(
    (item) => !isMerge(item) && isScalar(item.key) && String(item.key.value) === name,
  );
  if (own !== undefined) return own;
  for (const { value } of map.items.filter(isMerge))
    for (const source of isSeq(value) ? value.items : [value]) {
      const taken = isAlias(source) ? resolve(source) : source;
      const found = isMap(taken) ? pairOf(taken, name, resolve) : undefined;
      if (found !== undefined) return found;
    }
  return undefined;
}
