/**
 * What YAML allows and no settings can mean: a key twice in one map, an alias inside of what it stands for. The library
 * can look for keys itself, in a time that grows with the square of the map, and makes an endless value of the other.
 */
import type { Document } from "yaml";
import { isCollection, isNode, isScalar, visit } from "yaml";

/** Offset of the first alias that is inside of what it names, with its name; null when there is none. */
export function endlessAlias(document: Document): { readonly name: string; readonly at: number } | null {
  let found: { name: string; at: number } | null = null;
  visit(document, {
    Alias: (_, alias, above) => {
      const isInside = above.some((node) => isCollection(node) && node.anchor === alias.source);
      if (!isInside) return undefined;
      found = { name: alias.source, at: alias.range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return found;
}

/** The key that takes in another map (merges.ts). */
const MERGE = "<<";

export interface RepeatedKey {
  readonly name: string;
  /** Offset of the second one. */
  readonly at: number;
}

/** The first `max` of them, in the order of the text. */
export function repeatedKeys(document: Document, max: number): readonly RepeatedKey[] {
  const found: RepeatedKey[] = [];
  visit(document, {
    Map: (_, map) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        // As text: that is what they are in the result, so `1` and `"1"` are one key.
        const name = typeof key.value === "symbol" ? MERGE : String(key.value);
        if (seen.has(name) && isNode(key)) found.push({ name, at: key.range?.[0] ?? 0 });
        seen.add(name);
      }
      return found.length < max ? undefined : visit.BREAK;
    },
  });
  return found.sort((a, b) => a.at - b.at).slice(0, max);
}
